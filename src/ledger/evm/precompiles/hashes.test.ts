import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM } from "@ethereumjs/evm";
import { blake2b } from "@noble/hashes/blake2.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { rulesAt } from "../testing/run-code.ts";
import { at, run } from "./testing/call.ts";

/** The initial state of BLAKE2b with a 64-byte hash and no key. @see EIP-152, test vectors */
const BLAKE2B_512_START = hexToBytes(
  "0x48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5" +
    "d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b",
);

describe("hashes", () => {
  it("computes SHA-256 and RIPEMD-160", () => {
    const abc = new TextEncoder().encode("abc");
    expect(bytesToHex(run(2, abc) as Uint8Array)).toBe(
      "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
    expect(bytesToHex(run(3, abc) as Uint8Array)).toBe(
      "0x0000000000000000000000008eb208f7e05d987a9b044a8e98c6b087f15a0bfc",
    );
  });

  it("compresses one block to the BLAKE2b hash of a short message", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 128, minLength: 1 }), (message) => {
        const block = new Uint8Array(128);
        block.set(message);
        const counter = new Uint8Array(16);
        counter[0] = message.length;
        const input = concat(Uint8Array.of(0, 0, 0, 12), BLAKE2B_512_START, block, counter, Uint8Array.of(1));
        expect(run(9, input)).toEqual(blake2b(message, { dkLen: 64 }));
      }),
    );
  });

  it.each([0, 1, 9, 10, 11, 10_000, 10_001, 20_013])(
    "runs %i rounds as another implementation does",
    async (rounds) => {
      const input = Uint8Array.from({ length: 213 }, (_, i) => (i * 37) & 0xff);
      new DataView(input.buffer).setUint32(0, rounds);
      input[212] = rounds & 1;
      const common = new Common({ chain: Mainnet, hardfork: Hardfork.Istanbul });
      const evm = await createEVM({ common });
      const theirs = evm.precompiles.get(`${"0".repeat(39)}9`);
      const options = { data: input, gasLimit: 100_000n, common, _EVM: evm };
      expect(run(9, input)).toEqual((await theirs?.(options))?.returnValue);
    },
  );

  it("rejects other lengths and flags, at a gas cost of 0", () => {
    const input = new Uint8Array(213);
    input[212] = 2;
    expect(run(9, input)).toBeUndefined();
    expect(run(9, input.subarray(1))).toBeUndefined();
    expect(at(9, "osaka")?.gas(input.subarray(1), rulesAt("osaka"))).toBe(0n);
  });
});
