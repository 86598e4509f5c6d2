import { describe, expect, it } from "vitest";
import type { CandidateBlock, DraftBlock } from "../../ledger/chain/execute/candidate-block.ts";
import { readGenesis } from "../../ledger/chain/genesis/genesis.ts";
import { CHAIN_ID, createLedger, genesisOf } from "../../ledger/chain/testing/ledger.ts";
import { balanceChange } from "../../ledger/state/testing/model.ts";
import { blobTransfer, transfer, wallet } from "../../ledger/txpool/testing/transactions.ts";
import { ChainTransactionPool } from "../../ledger/txpool/transaction-pool.ts";
import { createLogger, silentLogger } from "../../platform/telemetry/logger.ts";
import { FORKS } from "../../protocol/params/forks.ts";
import { ZERO_ADDRESS } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { withoutSidecar } from "../../protocol/transaction/encoding.ts";
import { transactionHash } from "../../protocol/transaction/hash.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import type { BlobSidecar, Transaction } from "../../protocol/transaction/transaction.ts";
import { BlockProducer, type ProducerParts } from "./block-producer.ts";
import { heldTurns } from "./testing/held-turns.ts";

const SENDER = wallet(0);
const OTHER = wallet(1);
const RECIPIENT = new Uint8Array(20).fill(0x77);

it("abandons another validator's block whose execution exceeds the time limit", async () => {
  const { chain, processor, branches, consensus } = await createLedger(
    genesisOf({ [SENDER.key]: 10n ** 20n }),
  );
  const candidates = [0n, 1n, 2n].map((nonce) => transfer(SENDER, { nonce, value: 1n }, CHAIN_ID));
  const header = consensus.prepare(chain.tip.header, 0);
  const made = processor.draft({ header, author: ZERO_ADDRESS, candidates, now: () => 0 });
  let nowMs = 0;
  let looked = 0;
  const clock = {
    now: () => nowMs,
    elapsed: () => {
      looked++;
      nowMs += 1_000;
      return nowMs;
    },
  };
  const producer = new BlockProducer({
    ...{ chain, processor, branches, author: ZERO_ADDRESS, settings: {} },
    ...{ runtime: { clock }, logger: silentLogger },
    pool: undefined as unknown as ProducerParts["pool"],
    verification: { recovery: createInlineRecovery(CHAIN_ID) },
  });
  const { block } = made as CandidateBlock;
  expect(await producer.check(block, 2_500)).toBeUndefined();
  expect(looked).toBe(4);
  expect((await producer.check(block, 60_000))?.block.transactions).toHaveLength(3);
});

/** A producer whose drafts wait before each of two transactions until they are let on. */
async function setUp() {
  const { turns, begun, open } = heldTurns();
  const ledger = await createLedger(genesisOf({ [SENDER.key]: 10n ** 20n }), { turns });
  const { chain, consensus, runtime } = ledger;
  const recovery = createInlineRecovery(CHAIN_ID);
  const pool = new ChainTransactionPool({ chain, recovery, now: () => runtime.clock.now() });
  for (const nonce of [0n, 1n])
    await pool.add(transfer(SENDER, { nonce, value: 1n }, CHAIN_ID), { local: true });
  const producer = new BlockProducer({
    ...{ ...ledger, pool, author: ZERO_ADDRESS, settings: {}, logger: silentLogger },
  });
  const draft = () => producer.draft((parent) => consensus.prepare(parent, 0));
  return { ...ledger, pool, producer, begun, open, draft };
}

describe("a draft", () => {
  it("holds no lock: several may be drafted on one parent, and inserting one makes the others stale", async () => {
    const { chain, producer, draft, open } = await setUp();
    const drafts = [draft(), draft()];
    for (let i = 0; i < 4; i++) await open();
    const [first, second] = (await Promise.all(drafts)) as [DraftBlock, DraftBlock];
    expect([first, second].map(({ block }) => block.transactions.length)).toEqual([2, 2]);
    expect([first, second].map(({ staged }) => staged?.isCurrent)).toEqual([true, true]);
    const late = draft();
    const { hash } = await producer.insert(second);
    expect(chain.tip.hash).toBe(hash);
    for (let i = 0; i < 2; i++) await open();
    expect(await late).toBeUndefined();
    await expect(producer.insert(first)).rejects.toMatchObject({ code: "UNKNOWN_ANCESTOR" });
  });

  it("is discarded once the state under it was edited", async () => {
    const { chain, pool, producer, draft, begun, open } = await setUp();
    const overtaken = draft();
    await begun();
    await open();
    const edit = { ...balanceChange(1, 1000n), address: RECIPIENT };
    await chain.exclusive(() => chain.amend({ accounts: [edit], codes: [] }));
    await open();
    expect(await overtaken).toBeUndefined();
    expect(pool.status().pending).toBe(2);
    const anew = draft();
    for (let i = 0; i < 2; i++) await open();
    await producer.insert((await anew) as DraftBlock);
    expect(chain.store.latest().account(RECIPIENT)?.balance).toBe(1002n);
  });

  it("is discarded once the chain was rewound, even to its own parent", async () => {
    const { chain, pool, producer, draft, open } = await setUp();
    const before = draft();
    for (let i = 0; i < 2; i++) await open();
    const candidate = (await before) as DraftBlock;
    const overtaken = draft();
    await open();
    await chain.exclusive(async () => chain.beginGeneration());
    await open();
    expect(await overtaken).toBeUndefined();
    expect(pool.status().pending).toBe(2);
    await expect(producer.insert(candidate)).rejects.toMatchObject({ code: "STALE_CANDIDATE" });
    expect(chain.tip.header.number).toBe(0n);
    const anew = draft();
    for (let i = 0; i < 2; i++) await open();
    expect((await producer.insert((await anew) as DraftBlock)).block.transactions).toHaveLength(2);
  });
});

it("completes a preview on its own parent only, which may have left the chain", async () => {
  const { chain, consensus, producer, open } = await setUp();
  const previewed = producer.preview(consensus.prepare(chain.tip.header, 0));
  for (let i = 0; i < 2; i++) await open();
  const { header, ...rest } = await previewed;
  expect(
    producer.completeOnPast({ ...rest, header: { ...header, parentHash: new Uint8Array(32) } }),
  ).toBeUndefined();
  expect(producer.completeOnPast({ ...rest, header: { ...header, number: 9n } })).toBeUndefined();
  expect((await producer.completeOnPast({ ...rest, header }))?.transactions).toHaveLength(2);
});

it("drops a failed bundle from the pool, and says so, with what belongs to no bundle left in the block", async () => {
  const { chain, consensus, processor, branches, runtime } = await createLedger(
    genesisOf({ [SENDER.key]: 10n ** 20n, [OTHER.key]: 10n ** 20n }),
  );
  const recovery = createInlineRecovery(CHAIN_ID);
  const pool = new ChainTransactionPool({ chain, recovery, now: () => 0 });
  const single = transfer(OTHER, { nonce: 0n }, CHAIN_ID);
  const bundled = [0n, 1n].map((nonce) => transfer(SENDER, { nonce }, CHAIN_ID));
  for (const tx of [single, ...bundled]) await pool.add(tx, { local: true });
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const { logger } = createLogger({ verbosity: 2, format: "text", now: () => 0, write });
  // Its lead has a nonce that is not the sender's next one.
  const lead = () => transfer(OTHER, { nonce: 9n }, CHAIN_ID);
  const producer = new BlockProducer({
    ...{ chain, processor, branches, pool, runtime, logger, author: ZERO_ADDRESS, settings: {} },
    bundle: () => [{ transactions: bundled, lead }, single],
  });
  const draft = await producer.draft((parent) => consensus.prepare(parent, 0));
  expect(draft?.block.transactions).toEqual([single]);
  expect([single, ...bundled].map((tx) => pool.has(tx))).toEqual([true, false, false]);
  expect(lines).toEqual([expect.stringMatching(/WARN .*dropped a failed bundle.*nonce too high/)]);
  for (const tx of bundled) expect(lines[0]).toContain(bytesToHex(transactionHash(tx)));
});

describe("a block with a blob", () => {
  const blob = blobTransfer(SENDER, 0n, CHAIN_ID);
  const sidecar = blob.sidecar as BlobSidecar;
  const plain = transfer(OTHER, { nonce: 0n, gasPrice: 60_000_000_000n }, CHAIN_ID);

  /** A producer under the rules of osaka, and its draft, in which the blob follows another transaction. */
  async function drafted() {
    const forks = FORKS.map((fork) => [`${fork}CompatibleBlock`, 0]);
    const config = { chainId: Number(CHAIN_ID), ...Object.fromEntries(forks), istanbul: { epoch: 604_800 } };
    const alloc = Object.fromEntries([SENDER, OTHER].map(({ key }) => [key, { balance: `${10n ** 20n}` }]));
    const ledger = await createLedger(readGenesis({ config, alloc }));
    const { chain } = ledger;
    const recovery = createInlineRecovery(CHAIN_ID);
    const verdict: { fault?: string } = {};
    const blobs = { fault: async () => verdict.fault };
    const pool = new ChainTransactionPool({ chain, recovery, blobs, now: () => 0 });
    for (const tx of [blob, plain]) await pool.add(tx, { local: true });
    const producer = new BlockProducer({
      ...{ ...ledger, pool, author: ZERO_ADDRESS, settings: {}, logger: silentLogger },
      verification: { recovery, blobs },
    });
    const draft = await producer.draft((parent) => ({
      ...ledger.consensus.prepare(parent, 0),
      ...{ mixHash: new Uint8Array(32), blobGasUsed: 0n, excessBlobGas: 0n },
    }));
    const { header, transactions } = (draft as DraftBlock).block;
    /** Checks that block as another validator's, in which the blob comes with a sidecar or without. */
    const check = (tx: Transaction) => producer.check({ header, transactions: [plain, tx] }, 60_000);
    return { draft, transactions, verdict, check };
  }

  it("is drafted without the sidecar, which goes beside it", async () => {
    const { draft, transactions } = await drafted();
    expect(transactions.map(transactionHash)).toEqual([plain, blob].map(transactionHash));
    expect(transactions.map((tx) => tx.sidecar)).toEqual([undefined, undefined]);
    expect(draft?.sidecars).toEqual(new Map([[1, sidecar]]));
  });

  it("is accepted from another validator with its sidecar, which is kept", async () => {
    const { draft, check } = await drafted();
    const candidate = await check(blob);
    expect(candidate?.staged?.root).toEqual(draft?.staged?.root);
    expect(candidate?.block.transactions.map((tx) => tx.sidecar)).toEqual([undefined, undefined]);
    expect(candidate?.sidecars).toEqual(new Map([[1, sidecar]]));
  });

  it("is refused without its sidecar, with one of another blob, or with proofs that do not hold", async () => {
    const { verdict, check } = await drafted();
    await expect(check(withoutSidecar(blob))).rejects.toMatchObject({ code: "INVALID_BLOB" });
    const commitments = [new Uint8Array(48).fill(1)];
    const other = { ...blob, sidecar: { ...sidecar, commitments } };
    await expect(check(other)).rejects.toMatchObject({ code: "WRONG_SIDECAR" });
    verdict.fault = "invalid proof";
    await expect(check(blob)).rejects.toMatchObject({ code: "WRONG_SIDECAR", message: "invalid proof" });
  });
});
