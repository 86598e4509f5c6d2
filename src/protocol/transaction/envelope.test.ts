import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { keccak256 } from "../crypto/keccak.ts";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";
import {
  createTransaction,
  decodeTransaction,
  decodeTransactions,
  encodeTransaction,
  feePayerSigningPayload,
  senderTransactionHash,
  signingPayload,
  transactionHash,
  transactionSize,
} from "./envelope.ts";
import { readCases } from "./testing/fixtures.ts";
import { TRANSACTION_TYPES } from "./type-table.ts";

interface Vector {
  name: string;
  type: string;
  typeInt: number;
  chainId: string;
  raw: string;
  size: number;
  txHash: string;
  senderTxHash: string;
  sigRLP: string;
  sigHash: string;
  feePayerSigRLP?: string;
  feePayerSigHash?: string;
}

const vectors = readCases<Vector>("transactions.json");
const examples = readCases<Vector>("official-examples.json");

describe("encoding and hashes", () => {
  it("are tested on every type of the table", () => {
    expect(new Set(vectors.map((v) => v.type))).toEqual(new Set(TRANSACTION_TYPES.map((t) => t.name)));
  });

  it.each(vectors.map((v) => [v.name, v] as const))("of %s", (_, vector) => {
    const tx = decodeTransaction(hexToBytes(vector.raw));
    expect(tx.type).toMatchObject({ name: vector.type, code: vector.typeInt });
    expect(transactionSize(tx)).toBe(vector.size);
    expectHashes(tx, vector);
    expectHashes(createTransaction(tx), vector);
    expectHashes({ ...tx }, vector);
  });

  it.each(examples.map((v) => [v.name, v] as const))("of the documentation's %s", (_, vector) => {
    expectHashes(createTransaction(decodeTransaction(hexToBytes(vector.raw))), vector);
  });
});

function expectHashes(tx: ReturnType<typeof decodeTransaction>, vector: Vector): void {
  const chainId = BigInt(vector.chainId);
  expect(bytesToHex(encodeTransaction(tx))).toBe(vector.raw);
  expect(bytesToHex(transactionHash(tx))).toBe(vector.txHash);
  expect(bytesToHex(senderTransactionHash(tx))).toBe(vector.senderTxHash);
  expect(bytesToHex(signingPayload(tx, chainId))).toBe(vector.sigRLP);
  expect(bytesToHex(keccak256(signingPayload(tx, chainId)))).toBe(vector.sigHash);
  if (vector.feePayerSigRLP === undefined) return;
  expect(bytesToHex(feePayerSigningPayload(tx, chainId))).toBe(vector.feePayerSigRLP);
}

/** Malformed lengths in every kind of field, and what may stand before a legacy transaction. */
const { cases: malformed } = JSON.parse(
  readFileSync(
    new URL("../../../test/fixtures/decoding/malformed-transactions.json", import.meta.url),
    "utf8",
  ),
) as { cases: readonly { name: string; raw: string; error: string | null }[] };

describe("decoding", () => {
  const cases = readCases<{
    name: string;
    raw: string;
    error: string | null;
    txHash?: string;
    type?: string;
  }>("transactions-decode.json");

  it.each(cases.map((c) => [c.name, c] as const))(
    "accepts or rejects %s like the reference node",
    (_, { raw, error, ...valid }) => {
      if (error !== null) {
        expect(() => decodeTransaction(hexToBytes(raw))).toThrowError(
          expect.objectContaining({ message: error }),
        );
        return;
      }
      const tx = decodeTransaction(hexToBytes(raw));
      expect(tx.type.name).toBe(valid.type);
      expect(bytesToHex(transactionHash(tx))).toBe(valid.txHash);
    },
  );

  it.each(malformed.map((c) => [c.name, c] as const))(
    "finds the fault of %s where the reference does",
    (_, { raw, error }) => {
      const decoded = () => decodeTransaction(hexToBytes(raw));
      if (error === null) expect(decoded().type.name).toBe("TxTypeLegacyTransaction");
      else expect(decoded).toThrowError(expect.objectContaining({ message: error }));
    },
  );

  it("reads the unwrapped transactions of a block one after the other", () => {
    const raws = vectors.map((v) => v.raw);
    const payload = hexToBytes(`0x${raws.map((raw) => raw.slice(2)).join("")}`);
    expect(decodeTransactions(payload).map((tx) => bytesToHex(encodeTransaction(tx)))).toEqual(raws);
  });
});
