import { resolve } from "node:path";
import type { Node } from "../../node/create-node.ts";
import type { NodeOptions } from "../../node/node-options.ts";
import { devNodeOptions } from "../../node/options/index.ts";
import { MODULES } from "../../node/options/service/modules.ts";
import { isLoopback } from "../../node/service/endpoints/exposure.ts";
import { option } from "../../platform/config/option.ts";
import { boolean, path } from "../../platform/config/types.ts";
import { ActivityPrinter, type ActivityPrinterOptions } from "../activity/activity-printer.ts";
import { displayOf } from "../activity/paint.ts";
import { command, UsageError } from "../command.ts";
import { bannerData, bannerText } from "../service/banner.ts";
import { writeReport } from "../service/report-file.ts";
import { runNode } from "../service/run-node.ts";
import { prepareUnlock } from "../service/unlock-at-start.ts";
import { defaultDataDir, isKept, toDevOptions, toNodeOptions } from "../settings.ts";

const options = {
  ...devNodeOptions,
  json: option({
    flag: "json",
    type: boolean,
    default: false,
    doc: "Prints the banner as one line of JSON, then each event as another.",
  }),
  quiet: option({
    flag: "quiet",
    aliases: ["q"],
    type: boolean,
    default: false,
    doc: "Prints the banner, and nothing after it.",
  }),
  configOut: option({
    flag: "config-out",
    type: path,
    default: undefined,
    doc: "Writes the data of the banner to a file, as JSON.",
  }),
} as const;

/** Where Hardhat and Foundry projects keep their compiler output; it is shown to people, and changes no response. */
function artifactsHere(): NonNullable<NodeOptions["artifacts"]> {
  return { folders: [resolve("artifacts"), resolve("out")], inErrors: false };
}

/** Names and source locations for what is printed. */
function artifactDetails({ artifacts }: Node): Partial<ActivityPrinterOptions> {
  if (artifacts === undefined) return {};
  return {
    names: artifacts.names,
    prepare: () => artifacts.refresh(),
    trace: async (event) =>
      event.kind === "call" ? (event.error?.trace ?? []) : artifacts.stackTrace(event.hash),
  };
}

/** `kairn dev` */
export default command({
  usage: "",
  summary: "Runs a development chain with funded accounts.",
  options,
  async run(invocation) {
    const { values, sources, env, stdout } = invocation;
    if (sources.mainnet === "flag" || sources.testnet === "flag")
      throw new UsageError("--mainnet and --testnet are public networks; run them with kairn node");
    const dataDir = isKept(values) ? resolve(values.dataDir ?? defaultDataDir("dev", env)) : undefined;
    const all = <T>(key: "httpModules" | "wsModules", chosen: T) =>
      sources[key] === "default" ? MODULES : chosen;
    const isPrivate = isLoopback(values.httpAddress) || !values.http;
    const settings = {
      ...values,
      dashboard: values.dashboard && (isPrivate || sources.dashboard !== "default"),
      httpModules: all("httpModules", values.httpModules),
      wsModules: all("wsModules", values.wsModules),
    };
    const nodeOptions = {
      artifacts: artifactsHere(),
      ...toNodeOptions(settings, dataDir),
      ...toDevOptions(settings, env),
    };
    const unlock = await prepareUnlock(values, nodeOptions);
    const { json: isJson, verbosity } = values;
    let printer: ActivityPrinter | undefined;
    const terminal = { ...invocation, beforeLog: () => printer?.interrupt() };
    const code = await runNode(nodeOptions, settings, terminal, async (node) => {
      await unlock(node.wallets);
      const facts = { node, dataDir, modules: settings.httpModules };
      const data = JSON.stringify(bannerData(facts));
      if (values.configOut !== undefined) writeReport("--config-out", values.configOut, `${data}\n`);
      stdout.write(
        isJson
          ? `${data}\n`
          : bannerText(facts, displayOf(stdout, env).paint, stdout.columns || Number.POSITIVE_INFINITY),
      );
      if (!values.quiet) {
        const started = new ActivityPrinter({
          stream: stdout,
          env,
          isJson,
          verbosity,
          ...artifactDetails(node),
        });
        printer = started;
        node.watch((event) => started.print(event));
      }
    });
    printer?.close();
    return code;
  },
});
