import { type Pace, runPaced } from "../../../../../platform/runtime/turns/pace.ts";
import { endOfString } from "../../../../../protocol/codec/json/end-of-string.ts";
import type { Text } from "../../../spec/values/json-text.ts";

/** Characters parsed in one step: well below a millisecond. */
const STEP = 65_536;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING: readonly number[] = [0x5b, 0x7b];
const CLOSING: readonly number[] = [0x5d, 0x7d];

/**
 * The elements of a JSON list, parsed in time slices: the output of a tracer may have megabytes.
 * @param text - a list and nothing else, known to be well-formed
 */
export async function parseList<T>(text: Text, pace: Pace): Promise<T[]> {
  return runPaced(
    pace,
    elements<T>(typeof text === "string" ? text : await runPaced(pace, decoded(text.pieces))),
  );
}

function* decoded(pieces: readonly Uint8Array[]): Generator<void, string> {
  const decoder = new TextDecoder();
  let text = "";
  for (const piece of pieces) {
    text += decoder.decode(piece, { stream: true });
    yield;
  }
  return text + decoder.decode();
}

function* elements<T>(text: string): Generator<void, T[]> {
  const found: T[] = [];
  let [depth, begin, at] = [0, 1, 1];
  const take = (): void => {
    for (const element of JSON.parse(`[${text.slice(begin, at)}]`)) found.push(element);
    begin = at + 1;
  };
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (OPENING.includes(code)) depth++;
    else if (CLOSING.includes(code) && --depth < 0) break;
    else if (code === COMMA && depth === 0 && at - begin >= STEP) {
      take();
      yield;
    }
  }
  take();
  return found;
}
