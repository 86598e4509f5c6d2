import { describe, expect, it } from "vitest";
import { CHAIN_ID, createLedger, genesisOf } from "../../../ledger/chain/testing/ledger.ts";
import { balanceChange } from "../../../ledger/state/testing/model.ts";
import { transfer, wallet } from "../../../ledger/txpool/testing/transactions.ts";
import { ChainTransactionPool } from "../../../ledger/txpool/transaction-pool.ts";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { createInlineRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import { BlockProducer } from "../block-producer.ts";
import { ChainClock } from "./chain-clock.ts";
import { Sealer } from "./sealer.ts";

const SENDER = wallet(0);
const tx = (nonce: bigint) => transfer(SENDER, { nonce, value: 1n }, CHAIN_ID);
const { signal } = new AbortController();

async function setUp(onSeal: (count: number) => void = () => {}) {
  const ledger = await createLedger(genesisOf({ [SENDER.key]: 10n ** 20n }));
  const { chain, runtime, consensus } = ledger;
  const recovery = createInlineRecovery(CHAIN_ID);
  const pool = new ChainTransactionPool({ chain, recovery, now: () => runtime.clock.now() });
  const common = { logger: silentLogger, clock: new ChainClock(runtime.clock) };
  const producer = new BlockProducer({ ...ledger, ...common, pool, settings: {}, author: ZERO_ADDRESS });
  let sealed = 0;
  const seal = (block: Block): Block => {
    onSeal(++sealed);
    return block;
  };
  const prepare = (...args: Parameters<typeof consensus.prepare>) => consensus.prepare(...args);
  return { ...ledger, ...common, pool, sealer: new Sealer({ producer, prepare, seal, ...common }) };
}

describe("a sealer", () => {
  it("begins anew when the state was changed by hand under its candidate", async () => {
    const edits: Promise<unknown>[] = [];
    const { chain, pool, sealer } = await setUp((count) => {
      if (count > 1) return;
      const edit = { accounts: [balanceChange(1, 5n)], codes: [] };
      edits.push(chain.exclusive(() => chain.amend(edit)));
    });
    await pool.add(tx(0n), { local: true });
    const block = await sealer.seal(false, signal);
    await Promise.all(edits);
    expect(block?.block.transactions).toHaveLength(1);
    expect(chain.store.latest().root).toEqual(block?.block.header.stateRoot);
    chain.store.verify();
  });

  it("makes one block after the other, however many are asked for at once", async () => {
    const { pool, sealer } = await setUp();
    await pool.add(tx(0n), { local: true });
    const both = await Promise.all([sealer.seal(true, signal), sealer.seal(true, signal)]);
    expect(both.map((made) => made?.block.header.number)).toEqual([1n, 2n]);
  });

  it("uses up the time that was asked for with the block that got it, and not what was asked meanwhile", async () => {
    const { chain, clock, sealer } = await setUp((count) => {
      if (count === 1) clock.setNext(5000n, chain.tip.header);
    });
    clock.setNext(2000n, chain.tip.header);
    const times = [];
    for (let i = 0; i < 3; i++) times.push((await sealer.seal(true, signal))?.block.header.time);
    expect(times).toEqual([2000n, 5000n, 5001n]);
  });
});
