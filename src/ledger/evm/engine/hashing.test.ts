import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { assemble } from "../testing/assemble.ts";
import { CONTRACT, call, stateOf } from "../testing/run-code.ts";

const code = assemble("CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 KECCAK256 0 MSTORE 32 0 RETURN");
const state = stateOf({ [CONTRACT]: { code } });
const hash = (input: Uint8Array) => call(state, { input }).output;
const half = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe("KECCAK256", () => {
  it("hashes inputs of every length around the rate", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (input) => {
        expect(hash(input)).toEqual(keccak256(input));
      }),
    );
  });

  it("distinguishes inputs of 64 bytes that share a slot of the hash cache", () => {
    fc.assert(
      fc.property(half, half, (key, slot) => {
        const inputs = [concat(key, slot), concat(slot, key), concat(key, slot), concat(key, slot)];
        for (const input of inputs) expect(hash(input)).toEqual(keccak256(input));
      }),
    );
  });

  it("hashes 64 zeros, which look like an empty slot of that cache", () => {
    expect(hash(new Uint8Array(64))).toEqual(keccak256(new Uint8Array(64)));
  });
});
