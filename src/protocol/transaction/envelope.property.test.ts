import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RlpError } from "../codec/rlp/item.ts";
import { concat } from "../primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";
import {
  createTransaction,
  decodeTransaction,
  encodeTransaction,
  transactionHash,
  withoutSidecar,
} from "./envelope.ts";
import { TransactionError } from "./errors.ts";
import { anyParts, partsOf } from "./testing/arbitraries.ts";
import { readCases } from "./testing/fixtures.ts";
import { TRANSACTION_TYPES, transactionType } from "./type-table.ts";

describe("any transaction", () => {
  it.each(TRANSACTION_TYPES.map((type) => [type.name, type] as const))(
    "of %s survives its encoding",
    (_, type) => {
      fc.assert(
        fc.property(partsOf(type), (parts) => {
          const tx = createTransaction(parts);
          const read = decodeTransaction(encodeTransaction(tx));
          expect(encodeTransaction(createTransaction(read))).toEqual(encodeTransaction(tx));
          for (const { property } of type.fields) expect(read[property]).toEqual(tx[property]);
          expect(transactionHash(read)).toEqual(transactionHash(tx));
        }),
        { numRuns: 40 },
      );
    },
  );

  it("has one encoding: corrupted bytes that are accepted encode to themselves", () => {
    fc.assert(
      fc.property(anyParts, fc.nat(), fc.nat({ max: 255 }), (parts, position, byte) => {
        const raw = encodeTransaction(createTransaction(parts)).slice();
        raw[1 + (position % (raw.length - 1))] = byte;
        const tx = tryDecode(raw);
        if (tx !== undefined) expect(encodeTransaction(createTransaction(tx))).toEqual(raw);
      }),
      { numRuns: 1_000 },
    );
  });

  it("truncated is rejected", () => {
    fc.assert(
      fc.property(anyParts, fc.nat(), (parts, length) => {
        const raw = encodeTransaction(createTransaction(parts));
        expect(tryDecode(raw.subarray(0, length % raw.length))).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});

/** Undefined for bytes that are refused; every other failure is a fault of ours. */
function tryDecode(raw: Uint8Array) {
  try {
    return decodeTransaction(raw);
  } catch (error) {
    if (error instanceof RlpError || error instanceof TransactionError) return undefined;
    throw error;
  }
}

describe("a blob transaction with its sidecar", () => {
  const type = transactionType(0x7803);
  if (type === undefined) throw new Error("no blob type");
  const [parts] = fc.sample(partsOf(type), { numRuns: 1, seed: 1 });
  const sidecar = {
    version: 1,
    blobs: [new Uint8Array(131_072).fill(7)],
    commitments: [new Uint8Array(48).fill(1)],
    proofs: Array.from({ length: 128 }, (_, i) => new Uint8Array(48).fill(i)),
  } as const;
  const bare = createTransaction({ type, ...parts });

  it.each([0, 1] as const)("of version %i is encoded with it and hashed without it", (version) => {
    const tx = createTransaction({ ...bare, sidecar: { ...sidecar, version } });
    const read = decodeTransaction(encodeTransaction(tx));
    expect(read.sidecar).toEqual({ ...sidecar, version });
    expect(encodeTransaction(createTransaction(read))).toEqual(encodeTransaction(tx));
    expect(encodeTransaction(withoutSidecar(read))).toEqual(encodeTransaction(bare));
    expect(transactionHash(read)).toEqual(transactionHash(bare));
  });

  it("of an unknown version is rejected", () => {
    const tx = createTransaction({ ...bare, sidecar: { ...sidecar, version: 2 as 1 } });
    expect(() => decodeTransaction(encodeTransaction(tx))).toThrowError("unsupported blob tx version 2");
  });
});

describe("a malformed transaction is rejected with the reference's text", () => {
  const prefix = "decoding into (types.Transaction)(types.TxInternalDataSerializer)";

  it.each([
    ["a list without fields", [0x08, 0xc0], "rlp: too few elements for types.TxInternalDataValueTransfer"],
    ["a string for a list", [0x08, 0x80], "rlp: expected input list for types.TxInternalDataValueTransfer"],
    ["a string for a blob transaction", [0x78, 0x03, 0x80], "rlp: expected List"],
    ["an endless string for a transaction", [0xb8], "rlp: value size exceeds available input length"],
    [
      "a list for the recipient of a deploy",
      [0x28, 0xc4, 1, 1, 1, 0xc0],
      "rlp: wrong kind of empty value (got List, want String) for *common.Address, " +
        `${prefix}(types.TxInternalDataSmartContractDeploy).Recipient`,
    ],
    [
      "a string for a transaction",
      [0x83, 1, 2, 3],
      "rlp: expected input list for types.TxInternalDataLegacy",
    ],
    [
      "a nonce with a leading zero",
      [0x08, 0xc1, 0x00],
      `rlp: non-canonical integer (leading zero bytes) for uint64, ${prefix}(types.TxInternalDataValueTransfer).AccountNonce`,
    ],
    [
      "a long nonce",
      [0x38, 0xca, 0x89, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      `rlp: input string too long for uint64, ${prefix}(types.TxInternalDataCancel).AccountNonce`,
    ],
    [
      "a short sender",
      [0x38, 0xc4, 1, 1, 1, 0x80],
      `rlp: input string too short for common.Address, ${prefix}(types.TxInternalDataCancel).From`,
    ],
    [
      "a list for a nonce of an account update",
      [0x20, 0xc1, 0xc0],
      `rlp: expected input string or byte for uint64, ${prefix}(types.TxInternalDataAccountUpdate)` +
        "(types.txInternalDataAccountUpdateSerializable).AccountNonce",
    ],
  ])("%s", (_, bytes, message) => {
    expect(() => decodeTransaction(Uint8Array.from(bytes))).toThrowError(
      expect.objectContaining({ message }),
    );
  });

  it("or accepted, as recorded from the reference", () => {
    const cases = readCases<{ raw: string; error: string | null; txHash?: string }>(
      "transactions-damaged.json",
    );
    expect(cases.map(({ raw }) => judge(hexToBytes(raw)))).toEqual(
      cases.map(({ error, txHash }) => error ?? txHash),
    );
  });

  it("a signature with too few parts", () => {
    const type = transactionType(0x38);
    if (type === undefined) throw new Error("no cancel type");
    const from = concat(Uint8Array.of(0x94), new Uint8Array(20));
    const raw = concat(Uint8Array.of(0x38, 0xdb, 1, 1, 1), from, Uint8Array.of(0xc2, 0xc1, 1));
    const place = `${prefix}(types.TxInternalDataCancel).TxSignatures[0]`;
    expect(() => decodeTransaction(raw)).toThrowError(
      expect.objectContaining({ message: `rlp: too few elements for types.TxSignature, ${place}` }),
    );
  });
});

/** The hash of a transaction, or why it is none. */
function judge(raw: Uint8Array): string {
  try {
    return bytesToHex(transactionHash(decodeTransaction(raw)));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
