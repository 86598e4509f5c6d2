import { InterruptedError, Keyboard } from "../api/console/terminal/keyboard.ts";
import { UsageError } from "./command.ts";

/** Prompts for a secret: without echo on a terminal, one line of the input elsewhere. @throws UsageError without an answer, InterruptedError */
export async function askSecret(question: string): Promise<string> {
  const keyboard = new Keyboard(process.stdin, process.stderr);
  try {
    return await keyboard.ask(question, new AbortController().signal);
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    throw new UsageError((error as Error).message);
  } finally {
    keyboard.close();
  }
}

/** Prompts for a new secret, on a terminal twice. @throws UsageError when the two differ */
export async function askNewSecret(question: string): Promise<string> {
  const first = await askSecret(question);
  if (process.stdin.isTTY && (await askSecret("Repeat passphrase: ")) !== first)
    throw new UsageError("passphrases do not match");
  return first;
}
