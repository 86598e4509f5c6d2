import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs a program to completion and resolves with its output. @throws Error with its output if it fails */
export async function runProgram(command, args, options) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      printed += text;
    });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${printed}`);
  return printed;
}
