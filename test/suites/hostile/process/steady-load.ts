import { soak } from "../../../e2e/soak/soak.ts";
import { type HostileRow, hold } from "../row.ts";

/** Handles above those after the warm-up: handles that are open temporarily. */
const MORE_HANDLES = 20;

/** The short forms of `npm run test:soak`, in which memory is still growing and only reported. */
export function steadyLoad(id: string, seconds: number, isLong: boolean): HostileRow {
  return {
    id,
    promise: `${seconds} s of steady load: every call gets its response, no handles leaked, a clean stop`,
    isLong,
    async run() {
      const done = await soak(seconds, () => {});
      hold(done.failures.size === 0, `refused: ${[...done.failures].join("; ")}`);
      hold(done.blocks > 0 && done.events > 0, "no blocks or no events");
      hold(done.moreHandles <= MORE_HANDLES, `${done.moreHandles} handles more`);
      hold(done.exitCode === 0, `exit code ${done.exitCode}`);
      const { blocks, pace, transactions, calls, p99Last, anonLast } = done;
      return (
        `${blocks} blocks (${Math.round(pace * 100)} % of the pace), ${transactions} transactions, ${calls} calls, p99 ` +
        `of eth_call ${Math.round(p99Last)} ms, ${Math.round(anonLast)} MiB`
      );
    },
  };
}
