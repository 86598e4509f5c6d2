import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { UsageError } from "./command.ts";

/** Asks for a secret: without echo on a terminal, one line of the input elsewhere. */
export async function askSecret(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stderr.write(question);
  const lines = createInterface({
    input: process.stdin,
    output: silent,
    terminal: process.stdin.isTTY === true,
  });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once("line", resolve);
      lines.once("SIGINT", () => reject(new UsageError("interrupted")));
      lines.once("close", () => reject(new UsageError("no passphrase given")));
    });
  } finally {
    lines.removeAllListeners("close");
    lines.close();
    process.stderr.write("\n");
  }
}

/** Asks for a new secret, twice. @throws UsageError when the two differ */
export async function askNewSecret(question: string): Promise<string> {
  const first = await askSecret(question);
  if (process.stdin.isTTY && (await askSecret("Repeat passphrase: ")) !== first)
    throw new UsageError("passphrases do not match");
  return first;
}
