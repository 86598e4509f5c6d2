import { resolve } from "node:path";
import { createNode } from "../../node/create-node.ts";
import { nodeOptions } from "../../node/options/index.ts";
import { createLogger } from "../../platform/telemetry/logger.ts";
import type { Json } from "../../protocol/codec/json/value.ts";
import { command, UsageError } from "../command.ts";
import { consoleOptions } from "../console-options.ts";
import { openConsole, partPositionals } from "../open-console.ts";
import { defaultDataDir, networkOf, toNodeOptions } from "../settings.ts";

/** Warnings only: more would stand between the lines of the console. */
const QUIET = 2;

export default command({
  usage: "[SCRIPT.js ...]",
  summary: "Runs a node on the chain of a data folder, with a console on it.",
  options: { ...nodeOptions, ...consoleOptions },
  async run(invocation) {
    const { values, sources, positionals, env, stderr } = invocation;
    const { scripts, others } = partPositionals(positionals);
    if (others.length > 0)
      throw new UsageError(`${others[0]}: kairn attach opens a console on a running node`);
    const network = networkOf(values);
    const dataDir = resolve(values.dataDir ?? defaultDataDir(network ?? "node", env));
    const { logger } = createLogger({
      verbosity: sources.verbosity === "default" ? QUIET : values.verbosity,
      format: values.logFormat,
      now: Date.now,
      write: (line) => void stderr.write(line),
    });
    const options = { ...toNodeOptions(values, dataDir), dev: false, ...(network && { network }), logger };
    await using node = await createNode(options);
    const request = async (method: string, params: readonly Json[]) =>
      (await node.provider.request({ method, params })) as Json;
    return await openConsole({ request, endpoint: "this process", dataDir, scripts }, values, invocation);
  },
});
