import { keccak256 } from "../../../../src/protocol/crypto/keccak.ts";
import { bytesToHex as hex } from "../../../../src/protocol/primitives/hex.ts";
import { same } from "../vector-case.ts";

/** A published case. */
// biome-ignore lint/suspicious/noExplicitAny: published JSON, described in the files themselves
export type Published = any;

/** Compares bytes with published ones, of which long ones are known by size and hash only. */
export function sameBytes(actual: Uint8Array, published: Published, what: string): void {
  if (published.bytes !== undefined) same(hex(actual), published.bytes, what);
  else
    same(
      { size: actual.length, hash: hex(keccak256(actual)) },
      { size: published.length, hash: published.keccak256 },
      what,
    );
}
