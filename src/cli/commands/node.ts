import { resolve } from "node:path";
import { nodeOptions } from "../../node/options/index.ts";
import { command } from "../command.ts";
import { runNode } from "../run-node.ts";
import { defaultDataDir, networkOf, toNodeOptions } from "../settings.ts";
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
      const { chain, endpoints } = node;
      const listening = Object.values(endpoints).join(", ") || "nothing but this process";
      stdout.write(
        `kairn: chain ${chain.config.chainId}, block ${chain.head.header.number}, listening on ${listening}\n`,
      );
    });
  },
});
