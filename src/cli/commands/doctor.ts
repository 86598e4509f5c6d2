import { resolve } from "node:path";
import { dataOptions, nodeOptions } from "../../node/options/index.ts";
import { option } from "../../platform/config/option.ts";
import { boolean } from "../../platform/config/types.ts";
import { displayOf, type Paint, safe } from "../activity/paint.ts";
import { command } from "../command.ts";
import { checkFolder } from "../doctor/data-folder.ts";
import type { Finding } from "../doctor/finding.ts";
import { checkMachine, thisMachine } from "../doctor/machine.ts";
import { checkPorts } from "../doctor/ports.ts";
import { ExitCode } from "../exit-codes.ts";
import { defaultDataDir } from "../settings.ts";

const { dataDir } = dataOptions;
const { httpPort, wsPort, p2pPort } = nodeOptions;

/** `kairn doctor` */
export default command({
  usage: "",
  summary: "Checks whether this machine and a data folder are fit for a node, and says what to do if not.",
  options: {
    ...{ dataDir, httpPort, wsPort, p2pPort },
    json: option({
      flag: "json",
      type: boolean,
      default: false,
      doc: "Prints the findings as one JSON array.",
    }),
  },
  async run({ values, env, stdout }) {
    const folder = resolve(values.dataDir ?? defaultDataDir("dev", env));
    const ports = [
      { use: "JSON-RPC over HTTP", host: "127.0.0.1", port: values.httpPort, flag: httpPort.flag },
      { use: "JSON-RPC over WebSocket", host: "127.0.0.1", port: values.wsPort, flag: wsPort.flag },
      { use: "other nodes", host: "0.0.0.0", port: values.p2pPort, flag: p2pPort.flag },
    ];
    const findings = [
      ...checkMachine(thisMachine()),
      ...checkFolder(folder, Date.now()),
      ...(await checkPorts(ports)),
    ];
    if (values.json) stdout.write(`${JSON.stringify(findings)}\n`);
    else
      stdout.write(
        `${findings.flatMap((finding) => lines(finding, displayOf(stdout, env).paint)).join("\n")}\n`,
      );
    return findings.some(({ state }) => state === "bad") ? ExitCode.failed : ExitCode.done;
  },
});

function lines({ state, about, text, advice }: Finding, paint: Paint): string[] {
  const mark = state === "good" ? paint.green("✔") : state === "bad" ? paint.red("✘") : paint.bold("!");
  const line = `${mark} ${about.padEnd(12)} ${safe(text)}`;
  return advice === undefined ? [line] : [line, `  ${" ".repeat(12)} → ${safe(advice)}`];
}
