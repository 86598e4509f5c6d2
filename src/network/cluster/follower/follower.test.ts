import { describe, expect, it, vi } from "vitest";
import type { DraftBlock } from "../../../ledger/chain/execute/candidate-block.ts";
import { createLedger, genesisOf, type TestLedger } from "../../../ledger/chain/testing/ledger.ts";
import type { StateChanges } from "../../../ledger/state/state.ts";
import { transfer, wallet } from "../../../ledger/txpool/testing/transactions.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import { EMPTY_CODE_HASH, EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { contractAddress } from "../../../protocol/account/address.ts";
import { deriveSha } from "../../../protocol/block/list-root.ts";
import type { Receipt } from "../../../protocol/block/receipt.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { encodeTransaction } from "../../../protocol/transaction/encoding.ts";
import { createInlineRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import { senderOf } from "../../../protocol/transaction/signatures/signers.ts";
import { withSignatures } from "../../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { TransactionParts } from "../../../protocol/transaction/value.ts";
import type { ChangeRecord } from "../change-log.ts";
import { ClusterError } from "../errors.ts";
import { decodeChange, encodeChange, MAX_PAYLOAD } from "../record/change-codec.ts";
import { recordChecksum } from "../record/record-checksum.ts";
import { MemoryChangeLog } from "../testing/memory-change-log.ts";
import { WriterFeed } from "../writer/writer-feed.ts";
import { Follower } from "./follower.ts";

const SENDER = wallet(1);
const GENESIS = genesisOf({
  "0x1000000000000000000000000000000000000001": 5n,
  [bytesToHex(SENDER.address)]: 10n ** 20n,
});

/** A writer with three blocks in its log, and a follower that has none of them. */
async function setUp(blocks = 3, trustsSenders = false, runtime: Runtime = systemRuntime) {
  const log = new MemoryChangeLog(() => 0);
  const [writer, reader] = [await createLedger(GENESIS), await createLedger(GENESIS)];
  const chain = { genesisHash: writer.chain.genesisHash, chainId: 2019n };
  await log.prepare(chain, { height: 0n, hash: writer.chain.genesisHash });
  await log.acquire({ holder: "writer", url: "", ttlMs: 1_000 });
  for (let i = 0; i < blocks; i++) writer.add();
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
async function feed(log: MemoryChangeLog, { chain }: TestLedger): Promise<void> {
  const feed = new WriterFeed({
    ...{ log, chain: () => chain, durability: "shared", maxBehind: 512 },
    ...{ runtime: systemRuntime, logger: silentLogger, onFailure: () => {} },
  });
  const { height, hash, epoch } = await log.state();
  feed.begin(epoch, { height, hash }, () => {});
  expect(await feed.close(10_000)).toBe(0);
}

async function lastRecord(log: MemoryChangeLog): Promise<ChangeRecord & { readonly payload: Uint8Array }> {
  const { state } = await log.read(0n, { records: 1, bytes: 1, largest: 1 });
  const { records } = await log.read(state.height - 1n, {
    records: 1,
    bytes: MAX_PAYLOAD,
    largest: MAX_PAYLOAD,
  });
  return records[0] as ChangeRecord & { readonly payload: Uint8Array };
}

function withPayload(record: ChangeRecord, payload: Uint8Array): ChangeRecord {
  return { ...record, payload, size: payload.length, checksum: recordChecksum(record, payload) };
}

/** A transfer that names no sender. */
function sent(nonce: bigint, parts: Partial<TransactionParts> = {}): Transaction {
  const legacy = { nonce, input: new Uint8Array(0), ...parts };
  return transfer(SENDER, legacy, 2019n, "TxTypeLegacyTransaction");
}

/** Puts a block with a transaction that nobody has signed into a chain and its log, with all that a record needs. */
async function addUnsigned(log: MemoryChangeLog, { chain, consensus, processor }: TestLedger): Promise<void> {
  const header = consensus.prepare(chain.tip.header, 0);
  const plan = { header, author: new Uint8Array(20), candidates: [sent(0n)], now: () => 0 };
  const draft = processor.draft(plan) as DraftBlock;
  const transactions = [withSignatures(sent(0n), [{ parity: 0, r: 5n, s: 7n }], 2019n)];
  const transactionsRoot = deriveSha(0, transactions.map(encodeTransaction));
  const block = { header: { ...draft.block.header, transactionsRoot }, transactions };
  const { hash } = chain.append({ ...draft, block, isUnattributed: true });
  const { number: height, parentHash, stateRoot } = block.header;
  const { changes, totals } = draft;
  const payload = encodeChange({ block, receipts: totals.receipts, senders: [SENDER.address], changes });
  const fields = { height, hash, parentHash, stateRoot };
  await log.append(1n, [{ ...fields, payload, checksum: recordChecksum(fields, payload) }]);
}

describe("Follower", () => {
  it("reaches the writer's head, with its state", async () => {
    const { writer, reader, follower } = await setUp();
    await follower.catchUp();
    expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash);
    expect(reader.store.head).toEqual(writer.store.head);
  });

  it("rewinds where the log was rewound, and applies the other blocks", async () => {
    const { log, writer, reader, follower } = await setUp();
    await follower.catchUp();
    await writer.chain.exclusive(() => writer.chain.rewind(1n));
    await log.truncate(1n, { height: 1n, hash: writer.chain.tip.hash });
    writer.add();
    await feed(log, writer);
    await follower.catchUp();
    expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash);
  });

  const POISON: Readonly<
    Record<string, [text: string, (record: ChangeRecord, payload: Uint8Array) => ChangeRecord]>
  > = {
    "a flipped bit": ["checksum", (record, payload) => ({ ...record, payload: payload.with(40, 99) })],
    "another parent": [
      "checksum",
      (record) => ({ ...record, parentHash: new Uint8Array(32), epoch: record.epoch }),
    ],
    "bytes that are none": ["cannot be read", (record) => withPayload(record, Uint8Array.of(1, 2, 3))],
    "more bytes than any block has": [
      "more than",
      (record) => ({ ...record, payload: undefined, size: MAX_PAYLOAD + 1 }),
    ],
    "money out of nowhere": [
      "another state root",
      (record, payload) => {
        const change = decodeChange(payload, (code) => code);
        const [first] = change.changes.accounts;
        const rich = {
          address: new Uint8Array(20).fill(9),
          account: first?.account,
          storageCleared: false,
          storage: [],
        };
        const plain = { type: "eoa", nonce: 0n, balance: 1n } as const;
        const account = rich.account ?? ({ ...EMPTY, ...plain } as NonNullable<typeof rich.account>);
        return withPayload(
          record,
          encodeChange({ ...change, changes: { accounts: [{ ...rich, account }], codes: [] } }),
        );
      },
    ],
  };
  for (const [name, [text, poison]] of Object.entries(POISON))
    it(`rejects ${name}, keeps its chain, and continues once it is repaired`, async () => {
      const { log, writer, reader, follower, refused } = await setUp();
      const good = await lastRecord(log);
      log.replace(poison(good, good.payload));
      for (let i = 0; i < 3; i++)
        await expect(follower.catchUp()).rejects.toMatchObject({ code: "BAD_RECORD" });
      expect(refused.map(({ message }) => message).join()).toContain(text);
      expect(reader.chain.head.header.number).toBe(2n);
      log.replace(good);
      await follower.catchUp();
      expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash);
    });

  it("quarantines each bad record, rereads it less and less often, and continues within five seconds of its repair", async () => {
    const runtime = createSimulatedRuntime();
    const { log, writer, reader, follower, refused } = await setUp(3, false, runtime);
    const good = await lastRecord(log);
    let reads = 0;
    const read = log.read.bind(log);
    log.read = (...asked) => {
      reads++;
      return read(...asked);
    };
    log.replace(withPayload(good, Uint8Array.of(0xc0)));
    const running = follower.run();
    const pass = async (seconds: number) => {
      for (let i = 0; i < 10 * seconds; i++) {
        await runtime.advance(100);
        await new Promise(setImmediate);
      }
    };
    await pass(60);
    expect(refused).toHaveLength(1);
    expect(reads).toBeGreaterThan(10);
    expect(reads).toBeLessThan(25);
    log.replace(withPayload(good, Uint8Array.of(0xc1, 0x80)));
    await pass(10);
    expect(refused).toHaveLength(2);
    log.replace(good);
    await pass(6);
    expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash);
    await follower.stop();
    await running;
  });

  it("reaches the writer's block or stays where it is, whichever bytes of a record are corrupted", async () => {
    const { log, writer, reader, follower } = await setUp(0);
    writer.add(sent(0n, { to: undefined, value: 0n, input: Uint8Array.of(0x60, 0x00, 0x60, 0x00, 0xa0) }));
    await feed(log, writer);
    const good = await lastRecord(log);
    const [genesis, { hash }] = [reader.chain.head.hash, writer.chain.tip];
    const seen = new Set<string>();
    for (let i = 0; i < good.payload.length; i++) {
      log.replace(withPayload(good, good.payload.with(i, (good.payload[i] as number) ^ (1 << (i % 8)))));
      await follower.catchUp().catch(({ code }) => seen.add(code));
      const { tip } = reader.chain;
      if (tip.header.number === 0n) expect(tip.hash).toEqual(genesis);
      else expect([tip.hash, reader.store.head]).toEqual([hash, writer.store.head]);
      if (tip.header.number > 0n) await reader.chain.exclusive(() => reader.chain.rewind(0n));
    }
    expect([...seen]).toEqual(["BAD_RECORD"]);
    log.replace(good);
    await follower.catchUp();
    expect(reader.chain.head.hash).toEqual(hash);
  });

  it("rejects a record that lacks a contract's code, which no root covers", async () => {
    const { log, writer, reader, follower } = await setUp(0);
    const code = Uint8Array.of(0x60, 0x00);
    const own = { type: "sca", nonce: 1n, balance: 0n, codeHash: keccak256(code), codeInfo: 0x10 } as const;
    const account = { ...EMPTY, key: { type: "fail" } as const, ...own };
    const address = new Uint8Array(20).fill(9);
    const accounts = [{ address, account, storageCleared: false, storage: [] }];
    const codes = [{ hash: account.codeHash, code }];
    await writer.chain.amend({ accounts, codes });
    const { block, receipts, hash } = writer.add();
    const { number: height, parentHash, stateRoot } = block.header;
    const record = { height, hash, parentHash, stateRoot, epoch: 1n, size: 0, checksum: hash, payload: hash };
    const withCodes = (codes: StateChanges["codes"]) =>
      withPayload(record, encodeChange({ block, receipts, senders: [], changes: { accounts, codes } }));
    log.replace(withCodes([]));
    await expect(follower.catchUp()).rejects.toThrow(
      "the code of 0x0909090909090909090909090909090909090909 is",
    );
    log.replace(withCodes(codes));
    await follower.catchUp();
    expect(reader.store.code(account.codeHash)).toEqual(code);
  });

  const OTHER = new Uint8Array(20).fill(7);

  it("uses the senders that it recovers itself, reports a record with wrong ones, and continues", async () => {
    const { log, writer, reader, follower, refused } = await setUp(0);
    writer.add(sent(0n));
    await feed(log, writer);
    const good = await lastRecord(log);
    const change = decodeChange(good.payload, keccak256);
    expect(change.senders).toEqual([SENDER.address]);
    log.replace(withPayload(good, encodeChange({ ...change, senders: [OTHER] })));
    await follower.catchUp();
    const [transaction] = reader.chain.block(1n)?.transactions ?? [];
    const shown = () => senderOf(transaction as Transaction, 2019n);
    const found = (sender: Uint8Array) => [...reader.chain.sent(sender, { from: 0n, to: 9n })].length;
    // At once, before anything was recovered, and afterwards.
    expect([shown(), found(SENDER.address), found(OTHER)]).toEqual([SENDER.address, 1, 0]);
    expect(refused).toEqual([]);
    await reader.chain.attributed(1n);
    expect([shown(), found(SENDER.address), found(OTHER)]).toEqual([SENDER.address, 1, 0]);
    expect(refused.map(({ message }) => message)).toEqual([
      "the record of block 1 is refused: transaction 0 was not sent by 0x0707070707070707070707070707070707070707",
    ]);
    expect(follower.status).toMatchObject({ refused: 1, failure: undefined });
    writer.add(sent(1n));
    await feed(log, writer);
    await follower.catchUp();
    expect(reader.chain.head.header.number).toBe(2n);
  });

  it("trusts the record's senders only if configured to", async () => {
    const { log, writer, reader, follower, refused } = await setUp(0, true);
    writer.add(sent(0n));
    await feed(log, writer);
    const good = await lastRecord(log);
    const change = decodeChange(good.payload, keccak256);
    log.replace(withPayload(good, encodeChange({ ...change, senders: [OTHER] })));
    await follower.catchUp();
    const [transaction] = reader.chain.block(1n)?.transactions ?? [];
    expect(senderOf(transaction as Transaction, 2019n)).toEqual(OTHER);
    expect(refused).toEqual([]);
  });

  it("rejects a created contract's address that is derived from someone other than the signer", async () => {
    const { log, writer, reader, follower } = await setUp(0);
    writer.add(sent(0n, { to: undefined, value: 0n }));
    await feed(log, writer);
    const good = await lastRecord(log);
    const change = decodeChange(good.payload, keccak256);
    const [receipt] = change.receipts as [Receipt];
    expect(receipt.contractAddress).toEqual(contractAddress(SENDER.address, 0n));
    const receipts = [{ ...receipt, contractAddress: contractAddress(OTHER, 0n) }];
    log.replace(withPayload(good, encodeChange({ ...change, receipts, senders: [OTHER] })));
    await expect(follower.catchUp()).rejects.toThrow("the receipt of transaction 0 names another contract");
    expect(reader.chain.head.header.number).toBe(0n);
    log.replace(good);
    await follower.catchUp();
    expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash);
  });

  it("goes no further than a few blocks past one with a forged sender", async () => {
    const { log, writer, reader, follower, refused } = await setUp(0);
    // Only validators could seal that.
    await addUnsigned(log, writer);
    for (let i = 0; i < 6; i++) writer.add();
    await feed(log, writer);
    await expect(follower.catchUp()).rejects.toThrow("block 1 has an invalid signature");
    expect(Number(reader.chain.tip.header.number)).toBeLessThan(6);
    const [transaction] = reader.chain.block(1n)?.transactions ?? [];
    expect(() => senderOf(transaction as Transaction, 2019n)).toThrow();
    expect(refused.map(({ message }) => message).join()).toContain("the record of block 1");
  });

  it("rejects epochs that decrease, or exceed the lease's", async () => {
    const { log, writer, reader, follower } = await setUp(2);
    await log.acquire({ holder: "writer", url: "", ttlMs: 1_000 });
    writer.add();
    await feed(log, writer);
    const newest = await lastRecord(log);
    log.replace({ ...newest, epoch: 3n });
    await expect(follower.catchUp()).rejects.toThrow("its epoch 3 is ahead of the lease's, 2");
    log.replace(newest);
    await follower.catchUp();
    writer.add();
    await feed(log, writer);
    const next = await lastRecord(log);
    log.replace({ ...next, epoch: 1n });
    await expect(follower.catchUp()).rejects.toThrow("its epoch 1 is older than that of the block before, 2");
    log.replace(next);
    await follower.catchUp();
    expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash);
  });

  it("rewinds nothing if the lease contradicts the record that it names", async () => {
    const { log, reader, follower } = await setUp();
    await follower.catchUp();
    const { hash } = reader.chain.head;
    const honest = log.read.bind(log);
    log.read = async (...given) => {
      const { state, records } = await honest(...given);
      return { state: { ...state, height: 1n }, records };
    };
    await expect(follower.catchUp()).rejects.toThrow("was it edited by hand?");
    expect(reader.chain.tip.hash).toEqual(hash);
  });

  it("rewinds nothing if the lease names an earlier block although there are records above it", async () => {
    const { log, writer, reader, follower } = await setUp();
    await follower.catchUp();
    const { hash } = reader.chain.head;
    log.edit({ height: 1n, hash: writer.chain.ancestry.hash(1n) as Uint8Array });
    await expect(follower.catchUp()).rejects.toThrow("there are records above it: was it edited by hand?");
    expect(reader.chain.tip.hash).toEqual(hash);
    log.edit({ height: 1n, first: 3n });
    await expect(follower.catchUp()).rejects.toThrow("names block 1 as the newest one, and 3 as the oldest");
    expect(reader.chain.tip.hash).toEqual(hash);
  });

  it("keeps serving while the database is inconsistent, and follows again afterwards", async () => {
    const { log, writer, reader, follower } = await setUp();
    const running = follower.run();
    await vi.waitFor(() => expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash));
    log.failure = new ClusterError("LOG_FAILED", 'relation "lease" does not exist');
    await vi.waitFor(() => expect(follower.status.failure?.code).toBe("LOG_FAILED"));
    log.failure = undefined;
    writer.add();
    await feed(log, writer);
    await vi.waitFor(() => expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash), 5_000);
    expect(follower.status.failure).toBeUndefined();
    await follower.stop();
    await running;
  });

  it("keeps its blocks if only the lease names another head", async () => {
    const { log, reader, follower } = await setUp();
    await follower.catchUp();
    const { hash } = reader.chain.head;
    const honest = log.read.bind(log);
    log.read = async (...given) => {
      const { state, records } = await honest(...given);
      return { state: { ...state, hash: new Uint8Array(32) }, records };
    };
    await follower.catchUp();
    expect(reader.chain.tip.hash).toEqual(hash);
  });
});

const EMPTY = {
  humanReadable: false,
  key: { type: "legacy" },
  storageRoot: EMPTY_ROOT,
  codeHash: EMPTY_CODE_HASH,
  codeInfo: 0,
};
