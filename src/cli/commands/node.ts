import { resolve } from "node:path";
import { nodeOptions } from "../../node/options/index.ts";
import { command } from "../command.ts";
import { quiet } from "../progress/progress.ts";
import { SyncLine } from "../progress/sync-line.ts";
import { runNode } from "../service/run-node.ts";
import { dashboardLine, startLine } from "../service/start-line.ts";
import { prepareUnlock } from "../service/unlock-at-start.ts";
import { defaultDataDir, networkOf, toNodeOptions } from "../settings.ts";

/** Interval between polls of the synchronisation's progress. */
const POLL_MS = 500;

/** `kairn node` */
export default command({
  usage: "",
  summary: "Runs a node on the chain of a data folder.",
  options: { ...nodeOptions, quiet },
  async run(invocation) {
    const { values, env, stdout } = invocation;
    const network = networkOf(values);
    const dataDir = resolve(values.dataDir ?? defaultDataDir(network ?? "node", env));
    const options = { ...toNodeOptions(values, dataDir), dev: false, ...(network && { network }) };
    const unlock = await prepareUnlock(values, options);
    const line = new SyncLine(invocation);
    const terminal = { ...invocation, beforeLog: () => line.clear() };
    let poll: NodeJS.Timeout | undefined;
    const code = await runNode(options, values, terminal, async (node) => {
      await unlock(node.wallets);
      const dashboard = dashboardLine(node, dataDir, stdout.isTTY === true);
      stdout.write(`${startLine(node, dataDir)}\n${dashboard === undefined ? "" : `${dashboard}\n`}`);
      poll = setInterval(() => line.update(node.syncing()), POLL_MS);
    }).finally(() => {
      clearInterval(poll);
      line.clear();
    });
    return code;
  },
});
