import { resolve } from "node:path";
import { openEndpoint } from "../../api/console/endpoint/endpoint.ts";
import { ConsoleError } from "../../api/console/errors.ts";
import { dataOptions } from "../../node/options/index.ts";
import { readSecret } from "../../node/options/secret-files.ts";
import { option } from "../../platform/config/option.ts";
import { path, timer } from "../../platform/config/types.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { command, UsageError } from "../command.ts";
import { consoleOptions } from "../console/console-options.ts";
import { openConsole, splitPositionals } from "../console/open-console.ts";
import { defaultDataDir } from "../settings.ts";

const { dataDir } = dataOptions;

const jwtSecretFile = option({
  flag: "jwtsecret",
  type: path,
  default: undefined,
  doc: "File (0600) with the 32 bytes in hex that the node was given as --rpc.jwtsecret.",
});

const timeout = option({
  flag: "timeout",
  type: timer(1),
  default: undefined,
  doc: "How long a call may take; by default ten minutes over HTTP and WebSocket, and no limit over IPC.",
});

/** `kairn attach` */
export default command({
  usage: "[ENDPOINT] [SCRIPT.js ...]",
  summary: "Opens a console on a running node: IPC path, http:// or ws:// URL.",
  options: { dataDir, jwtSecretFile, timeout, ...consoleOptions },
  async run(invocation) {
    const { values, positionals, env } = invocation;
    const { scripts, others } = splitPositionals(positionals);
    if (others.length > 1) throw new UsageError(`only one endpoint can be given: ${others.join(" ")}`);
    const folder = resolve(values.dataDir ?? defaultDataDir("dev", env));
    const endpoint = others[0] ?? resolve(folder, "klay.ipc");
    const secret =
      values.jwtSecretFile === undefined ? undefined : readSecret(values.jwtSecretFile, "--jwtsecret");
    const { request, close } = await openEndpoint(endpoint, {
      ...systemRuntime,
      secret,
      timeoutMs: values.timeout,
    }).catch((error: unknown) => {
      throw withAdvice(error, others[0] === undefined ? folder : undefined);
    });
    try {
      return await openConsole({ request, endpoint, dataDir: folder, scripts }, values, invocation);
    } finally {
      close();
    }
  },
});

/** Adds advice to a connection error. @param folder - where the socket was looked for, if no endpoint was named */
function withAdvice(error: unknown, folder: string | undefined): unknown {
  if (!(error instanceof ConsoleError) || error.code !== "CONSOLE_CONNECT") return error;
  const advice =
    folder === undefined
      ? "no node is reachable there: kairn dev starts one and prints its endpoints, kairn attach without an endpoint looks in the data folder"
      : [
          `no node runs on ${folder}: kairn dev starts one,`,
          "kairn attach --datadir D finds the node of another folder,",
          "kairn attach http://127.0.0.1:8551 the one at a URL",
        ].join(" ");
  return new ConsoleError("CONSOLE_CONNECT", `${error.message}; ${advice}`, error.details, { cause: error });
}
