import { Script } from "node:vm";
import { isGetter } from "../methods/catalogue.ts";
import { dropGetterParentheses, interpretations } from "./source.ts";

/** File name shown for typed code. */
const TYPED = "console";

/**
 * Compiles a text, trying its possible interpretations in order.
 * @param file - name of the script; without it the text was typed, and may be an object literal
 * @throws SyntaxError of the text as typed
 */
export function compile(source: string, file?: string): Script {
  const text = dropGetterParentheses(file === undefined ? helpAsCall(source) : source, isGetter);
  let refusal: unknown;
  for (const candidate of interpretations(text, file === undefined)) {
    try {
      return new Script(candidate, { filename: file ?? TYPED });
    } catch (error) {
      refusal = candidate === text.trim() ? error : (refusal ?? error);
    }
  }
  throw refusal;
}

/** `help eth.getBalance` is a call, too. */
function helpAsCall(source: string): string {
  return source.replace(/^\s*help\s+([\w.]+)\s*;?\s*$/, 'help("$1")');
}

/** The syntax error of a text. */
export function syntaxErrorOf(source: string): Error | undefined {
  try {
    compile(source);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
