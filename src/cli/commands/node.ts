import { resolve } from "node:path";
import { nodeOptions } from "../../node/options/index.ts";
import { command } from "../command.ts";
import { runNode } from "../run-node.ts";
import { defaultDataDir, networkOf, toNodeOptions } from "../settings.ts";
import { startLine } from "../start-line.ts";
import { prepareUnlock } from "../unlock-at-start.ts";

/** `kairn node` */
export default command({
  usage: "",
  summary: "Runs a node on the chain of a data folder.",
  options: nodeOptions,
  async run(invocation) {
    const { values, env, stdout } = invocation;
    const network = networkOf(values);
    const dataDir = resolve(values.dataDir ?? defaultDataDir(network ?? "node", env));
    const options = { ...toNodeOptions(values, dataDir), dev: false, ...(network && { network }) };
    const unlock = await prepareUnlock(values, options);
    return runNode(options, values, invocation, async (node) => {
      await unlock(node.wallets);
      stdout.write(`${startLine(node, dataDir)}\n`);
    });
  },
});
