import { resolve } from "node:path";
import { openEndpoint } from "../../api/console/endpoint.ts";
import { dataOptions } from "../../node/options/index.ts";
import { readSecret } from "../../node/options/secret-files.ts";
import { option } from "../../platform/config/option.ts";
import { path } from "../../platform/config/types.ts";
import { command, UsageError } from "../command.ts";
import { consoleOptions } from "../console-options.ts";
import { openConsole, partPositionals } from "../open-console.ts";
import { defaultDataDir } from "../settings.ts";

const { dataDir } = dataOptions;

const jwtSecretFile = option({
  flag: "jwtsecret",
  type: path,
  default: undefined,
  doc: "File (0600) with the 32 bytes in hex that the node was given as --rpc.jwtsecret.",
});

/** `kairn attach` */
export default command({
  usage: "[ENDPOINT] [SCRIPT.js ...]",
  summary: "Opens a console on a running node: IPC path, http:// or ws:// URL.",
  options: { dataDir, jwtSecretFile, ...consoleOptions },
  async run(invocation) {
    const { values, positionals, env } = invocation;
    const { scripts, others } = partPositionals(positionals);
    if (others.length > 1) throw new UsageError(`one endpoint is enough: ${others.join(" ")}`);
    const folder = resolve(values.dataDir ?? defaultDataDir("dev", env));
    const endpoint = others[0] ?? resolve(folder, "klay.ipc");
    const { request, close } = await openEndpoint(
      endpoint,
      values.jwtSecretFile === undefined ? undefined : readSecret(values.jwtSecretFile, "--jwtsecret"),
    );
    try {
      return await openConsole({ request, endpoint, dataDir: folder, scripts }, values, invocation);
    } finally {
      close();
    }
  },
});
