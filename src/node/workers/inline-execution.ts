import type { JobThreads } from "../../api/rpc/handlers/execution/job-threads.ts";
import type { Evm } from "../../ledger/evm/evm.ts";
import { ScriptEngine } from "../../ledger/evm/tracers/script/script-engine.ts";
import type { JobOutcome } from "../../ledger/execution/job.ts";
import { runJob } from "../../ledger/execution/jobs/run-job.ts";

/** Runs jobs synchronously in this thread, for programs run from source without a build. */
export function inlineExecution(evm: Evm): JobThreads & { close(): Promise<void> } {
  let engine: ScriptEngine | undefined;
  return {
    async run(job, sources, { timeMs }) {
      engine ??= await ScriptEngine.load();
      const now = () => performance.now();
      const machine = {
        evm,
        now,
        engine: () => engine as ScriptEngine,
        limits: { deadline: now() + timeMs },
      };
      const outcomes: JobOutcome<typeof job.work>[] = [];
      for (const outcome of runJob(job, sources, machine)) {
        outcomes.push(outcome);
        if (engine.isUnusable) engine = await ScriptEngine.load();
      }
      return outcomes;
    },
    close: async () => {},
  };
}
