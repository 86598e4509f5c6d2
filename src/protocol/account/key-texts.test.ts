import { describe, expect, it } from "vitest";
import { hexToBytes } from "../primitives/hex.ts";
import { decodeAccountKey } from "./key-codec.ts";

const SERIALIZER = "*accountkey.AccountKeySerializer";
const MULTISIG = `${SERIALIZER})(accountkey.AccountKeyWeightedMultiSig`;
const ROLES = `${SERIALIZER})(accountkey.AccountKeyRoleBased`;
const POINT = "a1020f22284a03bf809a608e75083bce58124e2e328e330a670bc08aea0bd1598e1a";

/** Answers of `kaia_decodeAccountKey` of the reference node v2.2.1. */
const RECORDED: readonly (readonly [hex: string, text: string])[] = [
  ["0x04c20203", `expected input list for accountkey.WeightedPublicKeys, decoding into (${MULTISIG}).Keys`],
  [
    "0x04c2028180c0",
    `expected input list for accountkey.WeightedPublicKeys, decoding into (${MULTISIG}).Keys`,
  ],
  ["0x04c2c001c0", `expected input string or byte for uint, decoding into (${MULTISIG}).Threshold`],
  ["0x04c3c20102", `expected input string or byte for uint, decoding into (${MULTISIG}).Threshold`],
  [
    "0x04c301c201c0",
    `expected input list for accountkey.WeightedPublicKey, decoding into (${MULTISIG}).Keys[0]`,
  ],
  [
    "0x04c401c2c101",
    `too few elements for accountkey.WeightedPublicKey, decoding into (${MULTISIG}).Keys[0]`,
  ],
  ["0x04c201c3c20102", "element is larger than containing list"],
  ["0x04c4c30102", "value size exceeds available input length"],
  ["0x04c30181", "value size exceeds available input length"],
  ["0x04b804c0", "non-canonical size information for accountkey.AccountKeyWeightedMultiSig"],
  ["0xb80004c203c0", "non-canonical size information for accountkey.AccountKeyType"],
  [`0x02b800${POINT}`, "non-canonical size information for []uint8"],
  ["0x05b800c0", "non-canonical size information for [][]uint8"],
  ["0x05c3b803c0", `non-canonical size information for []uint8, decoding into (${ROLES})([][]uint8)[0]`],
  ["0x05c2c101", `expected input string or byte for []uint8, decoding into (${ROLES})([][]uint8)[0]`],
  ["0x05c48304c101", "too few elements for accountkey.AccountKeyWeightedMultiSig"],
  ["0x05c3820180", "expected input list for accountkey.AccountKeyLegacy"],
  ["0x05c0c0", "input contains more than one value"],
  [
    "0x05c781808404c2b80080c0",
    `non-canonical size information for uint, decoding into (${ROLES})(${MULTISIG}).Threshold`,
  ],
  [
    "0x05c88705c5c304c20103",
    `expected input string or byte for []uint8, decoding into (${ROLES})(${ROLES})([][]uint8)[0]`,
  ],
];

describe("a malformed account key", () => {
  it.each(RECORDED)("%s is refused in the reference's words", (hex, text) => {
    expect(() => decodeAccountKey(hexToBytes(hex), SERIALIZER)).toThrowError(
      expect.objectContaining({ message: `rlp: ${text}` }),
    );
  });

  it("is decoded into a value, not a pointer, inside the node", () => {
    expect(() => decodeAccountKey(hexToBytes("0x05c2c101"))).toThrow(
      "decoding into (accountkey.AccountKeySerializer)(accountkey.AccountKeyRoleBased)([][]uint8)[0]",
    );
  });
});
