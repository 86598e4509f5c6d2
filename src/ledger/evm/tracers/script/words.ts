import { bytesToBigint } from "../../../../protocol/primitives/bytes.ts";
import { Register } from "./protocol.ts";
import type { ScriptEngine } from "./script-engine.ts";

const LARGEST_SMALL = BigInt(Number.MAX_SAFE_INTEGER);

/** Passes a word to the script: in a register if it fits, else in four limbs, least significant first. */
export function writeWord({ registers, words }: ScriptEngine, word: bigint): undefined {
  if (word <= LARGEST_SMALL) {
    registers[Register.small] = Number(word);
    return;
  }
  // A typed array takes the lowest 64 bits.
  words[0] = word;
  words[1] = word >> 64n;
  words[2] = word >> 128n;
  words[3] = word >> 192n;
}

/** The number in up to 32 bytes; 0 if there are none. */
export function wordOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : bytesToBigint(bytes);
}
