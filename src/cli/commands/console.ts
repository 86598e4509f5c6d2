import { resolve } from "node:path";
import { createNode } from "../../node/create-node.ts";
import type { NodeOptions } from "../../node/node-options.ts";
import { type DevNodeSettings, devNodeOptions } from "../../node/options/index.ts";
import { option } from "../../platform/config/option.ts";
import { boolean } from "../../platform/config/types.ts";
import { createLogger } from "../../platform/telemetry/logger.ts";
import type { Json } from "../../protocol/codec/json/value.ts";
import { command, type Terminal, UsageError } from "../command.ts";
import { consoleOptions } from "../console/console-options.ts";
import { openConsole, splitPositionals } from "../console/open-console.ts";
import { prepareUnlock } from "../service/unlock-at-start.ts";
import { defaultDataDir, isKept, networkOf, toDevOptions, toNodeOptions } from "../settings.ts";

/** Warnings only: more would clutter the console. */
const QUIET = 2;

const dev = option({
  flag: "dev",
  type: boolean,
  default: false,
  doc: "Runs the development chain, as `kairn dev` does; without it, the flags of a development chain have no effect.",
});

export default command({
  usage: "[SCRIPT.js ...]",
  summary: "Runs a node on the chain of a data folder, with a console on it.",
  options: { ...devNodeOptions, dev, ...consoleOptions },
  async run(invocation) {
    const { values, sources, positionals, env, stderr } = invocation;
    const { scripts, others } = splitPositionals(positionals);
    if (others.length > 0)
      throw new UsageError(`${others[0]}: kairn attach opens a console on a running node`);
    const folder = resolve(
      values.dataDir ?? defaultDataDir(values.dev ? "dev" : (networkOf(values) ?? "node"), env),
    );
    const { logger } = createLogger({
      verbosity: sources.verbosity === "default" ? QUIET : values.verbosity,
      format: values.logFormat,
      now: Date.now,
      write: (line) => void stderr.write(line),
    });
    const options = chainOptions(values, folder, env);
    const unlock = await prepareUnlock(values, options);
    const node = await createNode({ ...options, logger });
    try {
      await unlock(node.wallets);
      const request = async (method: string, params: readonly Json[]) =>
        (await node.provider.request({ method, params })) as Json;
      const target = { request, endpoint: "this process", dataDir: folder, scripts };
      return await openConsole(target, values, invocation);
    } finally {
      await node.stop();
    }
  },
});

function chainOptions(
  values: DevNodeSettings & { readonly dev: boolean },
  folder: string,
  env: Terminal["env"],
): NodeOptions {
  if (values.dev)
    return { ...toNodeOptions(values, isKept(values) ? folder : undefined), ...toDevOptions(values, env) };
  const network = networkOf(values);
  return { ...toNodeOptions(values, folder), dev: false, ...(network && { network }) };
}
