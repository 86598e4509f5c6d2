import { expect } from "vitest";
import { CHAIN_ID, createLedger, genesisOf } from "../../../../ledger/chain/testing/ledger.ts";
import type { BlockTurns } from "../../../../ledger/execution/jobs/block-executor.ts";
import { MissingState } from "../../../../ledger/state/missing-state.ts";
import { transfer, wallet } from "../../../../ledger/txpool/testing/transactions.ts";
import { ChainTransactionPool } from "../../../../ledger/txpool/transaction-pool.ts";
import { silentLogger } from "../../../../platform/telemetry/logger.ts";
import { ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import { createInlineRecovery } from "../../../../protocol/transaction/signatures/recovery.ts";
import { BlockProducer } from "../../block-producer.ts";
import type { ProposerSettings } from "../../proposer-settings.ts";
import { BlockPreviews } from "../block-previews.ts";
import { ChainClock } from "../chain-clock.ts";
import { SealingService } from "../sealing-service.ts";

/** The only account with a balance. */
export const SENDER = wallet(0);
/** Where transfers go. */
export const RECIPIENT = new Uint8Array(20).fill(0x77);
/** A transfer of 1 kei. */
export const tx = (nonce: number) => transfer(SENDER, { nonce: BigInt(nonce), value: 1n }, CHAIN_ID);

/** The error of an action that lacks state. */
export function missingOf(action: () => unknown): MissingState {
  try {
    action();
  } catch (error) {
    if (error instanceof MissingState) return error;
    throw error;
  }
  return expect.fail("nothing is missing");
}

/** A chain with previews of its pending block, sealed by hand. */
export async function setUp(turns?: BlockTurns, isOpen = true) {
  const ledger = await createLedger(genesisOf({ [SENDER.key]: 10n ** 20n }), { ...(turns && { turns }) });
  const { chain, runtime } = ledger;
  const recovery = createInlineRecovery(CHAIN_ID);
  const pool = new ChainTransactionPool({ chain, recovery, now: () => runtime.clock.now() });
  const clock = new ChainClock(runtime.clock);
  const settings: ProposerSettings = {};
  const common = { runtime, logger: silentLogger };
  const author = ZERO_ADDRESS;
  const producer = new BlockProducer({ ...ledger, ...common, pool, settings, author });
  const engine = ledger.consensus;
  const asked = { value: 0 };
  const previews = new BlockPreviews(
    { chain, runtime, producer, engine, pool, clock, settings, author },
    { extraInputs: () => asked.value, isOpen },
  );
  /** As on a public chain, without options. */
  const publicPreviews = () =>
    new BlockPreviews({ chain, runtime, producer, engine, pool, clock, settings, author });
  const sealing = new SealingService({ engine, clock, ...common }, { kind: "manual" });
  sealing.start(producer);
  const add = (nonce: number) => pool.add(tx(nonce), { local: true });
  return {
    ...ledger,
    add,
    asked,
    producer,
    previews,
    publicPreviews,
    pool,
    clock,
    sealing,
  };
}
