import { vmError } from "../../failures.ts";
import type { Precompile } from "../../precompile.ts";
import { WRONG_LENGTH } from "../define.ts";
import { compress } from "./blake2b-compress.ts";

const LENGTH = 213;
const FINAL_FLAG = 212;
const WRONG_FLAG = vmError("invalid final flag");

/**
 * BLAKE2b compression function (address 0x09 from istanbul).
 * Input: rounds (4 bytes, big-endian), h (64), m (128), t (16), final flag (0 or 1).
 * @see EIP-152
 */
export const blake2f: Precompile = {
  name: "BLAKE2F",
  gas: (input) => (input.length === LENGTH ? BigInt(roundsOf(input)) : 0n),
  computation: (input) => (input.length === LENGTH ? 10_000n + 10n * BigInt(roundsOf(input)) : 0n),
  run(input, { checkDeadline }) {
    const flag = input[FINAL_FLAG];
    if (input.length !== LENGTH) return WRONG_LENGTH;
    if (flag !== 0 && flag !== 1) return WRONG_FLAG;
    const words = new Int32Array(52);
    const view = new DataView(input.buffer, input.byteOffset, LENGTH);
    for (let i = 0; i < words.length; i++) words[i] = view.getInt32(4 + 4 * i, true);
    const h = words.subarray(0, 16);
    const message = words.subarray(16, 48);
    compress({ h, m: message, t: words.subarray(48, 52), final: flag === 1 }, roundsOf(input), checkDeadline);
    const out = new Uint8Array(64);
    const outView = new DataView(out.buffer);
    for (let i = 0; i < h.length; i++) outView.setInt32(4 * i, h[i] as number, true);
    return out;
  },
};

function roundsOf(input: Uint8Array): number {
  return new DataView(input.buffer, input.byteOffset, 4).getUint32(0);
}
