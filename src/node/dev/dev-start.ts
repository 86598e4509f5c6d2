import type { ChainClock } from "../../network/consensus/solo/chain-clock.ts";
import type { DevChain } from "../node-options.ts";
import type { AutoFeePayer } from "./accounts/auto-fee-payer.ts";
import type { DevRules } from "./blocks/dev-rules.ts";

/** The initial settings of a development chain, apart from its genesis. */
export type DevStart = Pick<DevChain, "timestamp" | "autoImpersonate" | "autoFeePayer">;

/** What `applyDevStart` sets. */
interface DevStartTarget {
  readonly clock: ChainClock;
  readonly rules: DevRules;
  readonly feePayer: AutoFeePayer;
}

/**
 * Resets clock, impersonation, fee payer and the next block to their initial settings; whatever was set since is
 * forgotten.
 * @param now - initial time of the clock in seconds since 1970 unless configured; default: the wall clock
 */
export function applyDevStart(
  start: DevStart,
  { clock, rules, feePayer }: DevStartTarget,
  now?: bigint,
): void {
  clock.reset();
  const { timestamp = now } = start;
  if (timestamp !== undefined) clock.set(Number(timestamp) * 1000);
  rules.nextBlock.restore({});
  rules.impersonation.restore({ accounts: new Set(), isAutomatic: start.autoImpersonate ?? false });
  feePayer.account = start.autoFeePayer;
}
