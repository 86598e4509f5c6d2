import { resolve } from "node:path";
import { connect } from "../../api/console/connection.ts";
import { evaluateOnce, openConsole } from "../../api/console/console.ts";
import { dataOptions } from "../../node/options/index.ts";
import { option } from "../../platform/config/option.ts";
import { string } from "../../platform/config/types.ts";
import { command } from "../command.ts";
import { defaultDataDir } from "../settings.ts";

const { dataDir } = dataOptions;

export default command({
  usage: "[ENDPOINT]",
  summary: "Opens a console on a running node: IPC path, http:// or ws:// URL.",
  options: {
    dataDir,
    exec: option({
      flag: "exec",
      type: string,
      default: undefined,
      doc: "Evaluates one expression, prints it and ends.",
    }),
  },
  async run({ values, positionals, env, stdout, stderr }) {
    const folder = resolve(values.dataDir ?? defaultDataDir("dev", env));
    const connection = await connect(positionals[0] ?? resolve(folder, "klay.ipc"));
    try {
      if (values.exec !== undefined) return await evaluateOnce(connection, values.exec, { stdout, stderr });
      await openConsole(connection, stdout);
      return 0;
    } finally {
      connection.close();
    }
  },
});
