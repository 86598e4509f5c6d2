import type { HeadEvent } from "../../../../ledger/chain/chain.ts";
import { CHAIN_ID, createLedger, genesisOf } from "../../../../ledger/chain/testing/ledger.ts";
import { transfer, wallet } from "../../../../ledger/txpool/testing/transactions.ts";
import { ChainTransactionPool } from "../../../../ledger/txpool/transaction-pool.ts";
import { type Logger, silentLogger } from "../../../../platform/telemetry/logger.ts";
import { ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import { createInlineRecovery } from "../../../../protocol/transaction/signatures/recovery.ts";
import { BlockProducer } from "../../block-producer.ts";
import type { ProposerSettings } from "../../proposer-settings.ts";
import { ChainClock } from "../chain-clock.ts";
import type { SealingMode } from "../sealing-mode.ts";
import { SealingService } from "../sealing-service.ts";

/** The only account with a balance. */
export const SENDER = wallet(0);
/** A transfer from it. */
export const tx = (nonce: number, value = 1n) => transfer(SENDER, { nonce: BigInt(nonce), value }, CHAIN_ID);

/** A chain under a simulated clock, sealed by a service in a mode. */
export async function setUp(mode: SealingMode, logger: Logger = silentLogger) {
  const ledger = await createLedger(genesisOf({ [SENDER.key]: 10n ** 20n }));
  const { chain, runtime } = ledger;
  const recovery = createInlineRecovery(CHAIN_ID);
  const pool = new ChainTransactionPool({ chain, recovery, now: () => runtime.clock.now() });
  const clock = new ChainClock(runtime.clock);
  const settings: ProposerSettings = {};
  const common = { runtime, logger };
  const producer = new BlockProducer({ ...ledger, ...common, pool, settings, author: ZERO_ADDRESS });
  const service = new SealingService({ engine: ledger.consensus, clock, ...common }, mode);
  const blocks: number[] = [];
  chain.onHead(({ added }: HeadEvent) => blocks.push(...added.map(({ block }) => block.transactions.length)));
  service.start(producer);
  return { ...ledger, pool, clock, settings, service, blocks };
}
