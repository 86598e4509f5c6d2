import { compile, instantiate, type WasmMemory } from "../../../../protocol/wasm/web-assembly.ts";
import { blake2bModule, MESSAGE_OFFSET } from "./blake2b-module.ts";

/** First 64 bits of the fractions of the square roots of the first eight primes; low word, high word. @see RFC 7693 2.6 */
const IV = Int32Array.of(
  ...[0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a],
  ...[0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19],
);

/** V8 switches to optimized code only between calls. A multiple of ten, after which the word order repeats. */
const ROUNDS_PER_CALL = 10_000;

interface Blake2bExports {
  readonly memory: WasmMemory;
  readonly mixRounds: (rounds: number) => void;
}

let instance: Blake2bExports | undefined;

/** Operands of the compression function; 64-bit words are pairs of 32-bit words, low word first. */
export interface Compression {
  /** 8 words of state, changed in place. */
  readonly h: Int32Array;
  /** 16 words of message. */
  readonly m: Int32Array;
  /** 2 words of offset. */
  readonly t: Int32Array;
  readonly final: boolean;
}

/**
 * The compression function F of BLAKE2b with any number of rounds.
 * @param checkDeadline - called every 10,000 rounds; may throw to abort
 * @see RFC 7693 section 3.2
 */
export function compress({ h, m, t, final }: Compression, rounds: number, checkDeadline: () => void): void {
  instance ??= instantiate<Blake2bExports>(compile(blake2bModule()));
  const v = new Int32Array(instance.memory.buffer, 0, 32);
  v.set(h);
  v.set(IV, 16);
  for (let i = 0; i < 4; i++) v[24 + i] = (v[24 + i] as number) ^ (t[i] as number);
  if (final) for (const i of [28, 29]) v[i] = ~(v[i] as number);
  new Int32Array(instance.memory.buffer, MESSAGE_OFFSET, 32).set(m);
  for (let left = rounds; left > 0; left -= ROUNDS_PER_CALL) {
    instance.mixRounds(Math.min(left, ROUNDS_PER_CALL));
    checkDeadline();
  }
  for (let i = 0; i < 16; i++) h[i] = (h[i] as number) ^ (v[i] as number) ^ (v[i + 16] as number);
}
