import { expect } from "vitest";
import { createLedger, genesisOf, type TestLedger } from "../../../../ledger/chain/testing/ledger.ts";
import { transfer, wallet } from "../../../../ledger/txpool/testing/transactions.ts";
import type { Runtime } from "../../../../platform/runtime/runtime.ts";
import { systemRuntime } from "../../../../platform/runtime/system.ts";
import { silentLogger } from "../../../../platform/telemetry/logger.ts";
import { deriveSha } from "../../../../protocol/block/list-root.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { encodeTransaction } from "../../../../protocol/transaction/encoding.ts";
import { createInlineRecovery } from "../../../../protocol/transaction/signatures/recovery.ts";
import { withSignatures } from "../../../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import type { TransactionParts } from "../../../../protocol/transaction/value.ts";
import type { ChangeRecord } from "../../change-log.ts";
import type { ClusterError } from "../../errors.ts";
import { encodeChange, MAX_PAYLOAD } from "../../record/change-codec.ts";
import { recordChecksum } from "../../record/record-checksum.ts";
import { MemoryChangeLog } from "../../testing/memory-change-log.ts";
import { WriterFeed } from "../../writer/writer-feed.ts";
import { Follower } from "../follower.ts";

/** The only account that sends. */
export const SENDER = wallet(1);
export const GENESIS = genesisOf({
  "0x1000000000000000000000000000000000000001": 5n,
  [bytesToHex(SENDER.address)]: 10n ** 20n,
});

/** A writer with three blocks in its log, and a follower that has none of them. */
export async function setUp(blocks = 3, trustsSenders = false, runtime: Runtime = systemRuntime) {
  const log = new MemoryChangeLog(() => 0);
  const [writer, reader] = [await createLedger(GENESIS), await createLedger(GENESIS)];
  const chain = { genesisHash: writer.chain.genesisHash, chainId: 2019n };
  await log.prepare(chain, { height: 0n, hash: writer.chain.genesisHash });
  await log.acquire({ holder: "writer", url: "", ttlMs: 1_000 });
  for (let i = 0; i < blocks; i++) await writer.add();
  await feed(log, writer);
  const refused: ClusterError[] = [];
  const follower = new Follower({
    ...{
      log,
      chain: reader.chain,
      consensus: reader.consensus,
      runtime,
      logger: silentLogger,
    },
    recovery: createInlineRecovery(2019n),
    trustsSenders,
    quarantine: (_, error) => refused.push(error),
  });
  return { log, writer, reader, follower, refused };
}

/** Appends what the log lacks. */
export async function feed(log: MemoryChangeLog, { chain }: TestLedger): Promise<void> {
  const feed = new WriterFeed({
    ...{ log, chain: () => chain, durability: "shared", maxBehind: 512 },
    ...{ runtime: systemRuntime, logger: silentLogger, onFailure: () => {} },
  });
  const { height, hash, epoch } = await log.state();
  feed.begin(epoch, { height, hash }, () => {});
  expect(await feed.close(10_000)).toBe(0);
}

/** The newest record of a log. */
export async function lastRecord(
  log: MemoryChangeLog,
): Promise<ChangeRecord & { readonly payload: Uint8Array }> {
  const { state } = await log.read(0n, { records: 1, bytes: 1, largest: 1 });
  const { records } = await log.read(state.height - 1n, {
    records: 1,
    bytes: MAX_PAYLOAD,
    largest: MAX_PAYLOAD,
  });
  return records[0] as ChangeRecord & { readonly payload: Uint8Array };
}

/** A record with another payload, and the checksum of that. */
export function withPayload(record: ChangeRecord, payload: Uint8Array): ChangeRecord {
  return { ...record, payload, size: payload.length, checksum: recordChecksum(record, payload) };
}

/** A transfer that names no sender. */
export function sent(nonce: bigint, parts: Partial<TransactionParts> = {}): Transaction {
  const legacy = { nonce, input: new Uint8Array(0), ...parts };
  return transfer(SENDER, legacy, 2019n, "TxTypeLegacyTransaction");
}

/** Puts a block with a transaction that nobody has signed into a chain and its log, with all that a record needs. */
export async function addUnsigned(
  log: MemoryChangeLog,
  { chain, consensus, processor }: TestLedger,
): Promise<void> {
  const header = consensus.prepare(chain.tip.header, 0);
  const plan = { header, author: new Uint8Array(20), candidates: [sent(0n)], now: () => 0 };
  const draft = await processor.draft(plan);
  const transactions = [withSignatures(sent(0n), [{ parity: 0, r: 5n, s: 7n }], 2019n)];
  const transactionsRoot = deriveSha(0, transactions.map(encodeTransaction));
  const block = { header: { ...draft.block.header, transactionsRoot }, transactions };
  const { hash } = await chain.insert({ ...draft, block, isUnattributed: true });
  const { number: height, parentHash, stateRoot } = block.header;
  const { changes, totals } = draft;
  const payload = encodeChange({ block, receipts: totals.receipts, senders: [SENDER.address], changes });
  const fields = { height, hash, parentHash, stateRoot };
  await log.append(1n, [{ ...fields, payload, checksum: recordChecksum(fields, payload) }]);
}
