import { resolve } from "node:path";
import { DEFAULT_TIMEOUT_MS } from "../../api/client/batched.ts";
import { openEndpoint } from "../../api/console/endpoint/endpoint.ts";
import { dataOptions } from "../../node/options/index.ts";
import { option } from "../../platform/config/option.ts";
import { boolean, path, string } from "../../platform/config/types.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { visibleJson } from "../../protocol/primitives/visible.ts";
import { grouped } from "../activity/amounts.ts";
import { displayOf, safe } from "../activity/paint.ts";
import { command, UsageError } from "../command.ts";
import { defaultDataDir } from "../settings.ts";
import { callTree } from "../tracing/call-tree.ts";
import { traceJson } from "../tracing/trace-json.ts";
import { traceTransaction } from "../tracing/traced-transaction.ts";

const { dataDir } = dataOptions;

const options = {
  dataDir,
  rpc: option({
    flag: "rpc",
    type: string,
    default: undefined,
    doc: "Node to query: http:// or ws:// URL, or the path of an IPC socket; by default that of the data folder.",
  }),
  artifacts: option({
    flag: "artifacts",
    type: path,
    default: undefined,
    doc: "Folder of artifacts of Hardhat, Foundry or solc; by default `artifacts` and `out` in the working folder.",
  }),
  json: option({ flag: "json", type: boolean, default: false, doc: "Prints the trace as one JSON object." }),
} as const;

/** `kairn trace` */
export default command({
  usage: "HASH",
  summary:
    "Shows the calls of a transaction: names, gas, values, events, storage changes, and where it failed.",
  options,
  async run({ values, positionals, env, stdout }) {
    const [hash = "", ...more] = positionals;
    if (!/^0x[0-9a-f]{64}$/i.test(hash) || more.length > 0)
      throw new UsageError("usage: kairn trace HASH [--rpc URL|PATH] [--artifacts FOLDER]");
    const folder = resolve(values.dataDir ?? defaultDataDir("dev", env));
    const folders = values.artifacts === undefined ? ["artifacts", "out"] : [values.artifacts];
    const { request, close } = await openEndpoint(values.rpc ?? resolve(folder, "klay.ipc"), {
      ...systemRuntime,
      timeoutMs: DEFAULT_TIMEOUT_MS,
    });
    try {
      const traced = await traceTransaction(
        hash,
        request,
        folders.map((name) => resolve(name)),
      );
      if (values.json) {
        stdout.write(`${visibleJson(JSON.stringify(traceJson(traced)))}\n`);
        return 0;
      }
      const { root, known, stack, blockNumber } = traced;
      const { paint } = displayOf(stdout, env);
      const failure = stack.length === 0 ? [] : ["", ...stack.map((line) => `  ${paint.red(safe(line))}`)];
      const end = `gas ${grouped(root.gasUsed)} · block ${blockNumber}`;
      stdout.write(
        `${[...callTree(root, { paint, known }), ...failure, "", `  ${paint.dim(end)}`].join("\n")}\n`,
      );
      return 0;
    } finally {
      close();
    }
  },
});
