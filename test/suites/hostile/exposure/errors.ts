import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { argumentsOf, type DeclaredMethod } from "../../fuzz-rpc/arguments.ts";
import { Random } from "../../fuzz-rpc/random.ts";
import { isCalled } from "../../fuzz-rpc/target.ts";
import { hold } from "../row.ts";
import { declared, overHttp, withNode } from "./calls.ts";

/** Calls per method. */
const CALLS = 5;
const STACK = /\bat \S+ \(|\bat (?:async )?\/|\.[cm]?[jt]s:\d+|node:internal|node_modules/;

/** Error messages of every method called with odd arguments. */
export function silentErrors(): Promise<string> {
  return withNode([], async (node) => {
    const methods = (await declared(overHttp, node)).filter(({ name }) => isCalled(name, "none"));
    const program = dirname(dirname(fileURLToPath(new URL("..", import.meta.url))));
    const secrets = [
      ...node.accounts.map(({ privateKey }) => privateKey.slice(2)),
      ...["test test test test", node.dataDir, homedir(), program, "/tmp/"],
    ].filter((secret) => secret.length > 1);
    const seed = Date.now() % 100_000;
    const random = new Random(seed);
    const texts = new Set<string>();
    for (const method of methods.flatMap((each) => Array<DeclaredMethod>(CALLS).fill(each))) {
      const { error } = await overHttp(node, method.name, argumentsOf(random, method));
      if (error === undefined) continue;
      const text = JSON.stringify(error);
      texts.add(error.message);
      hold(error.code !== -32603, `${method.name}: ${text}, seed ${seed}`);
      hold(!STACK.test(text), `${method.name}: a stack in ${text}, seed ${seed}`);
      for (const secret of secrets)
        hold(!text.includes(secret), `${method.name}: ${secret} in ${text}, seed ${seed}`);
    }
    return `${methods.length * CALLS} calls of ${methods.length} methods, ${texts.size} texts of errors, seed ${seed}`;
  });
}

export function fuzz(flags: readonly string[]): Promise<string> {
  const suite = fileURLToPath(new URL("../../fuzz-rpc.ts", import.meta.url));
  const args = ["--import", "tsx", suite, "--seed", String(Date.now() % 100_000), ...flags];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.once("close", (code) => {
      if (code === 0) resolve(said.trim().split("\n").at(-1) ?? "");
      else reject(new Error(said));
    });
  });
}
