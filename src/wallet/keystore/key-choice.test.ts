import { describe, expect, it } from "vitest";
import { Role } from "../../protocol/account/key.ts";
import { publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";
import {
  recoverSigners,
  withFeePayerSignatures,
  withSignatures,
} from "../../protocol/transaction/signatures/signing.ts";
import { transactionType } from "../../protocol/transaction/type-table.ts";
import type { TransactionType } from "../../protocol/transaction/types.ts";
import { createTransaction } from "../../protocol/transaction/value.ts";
import { signWith } from "./key-choice.ts";

const key = (n: number) => new Uint8Array(32).fill(n);
const address = hexToBytes("0x1a642f0e3c3af545e7acbd38b07251b3990914f1");
const chainId = 1001n;
const keyring = {
  [Role.transaction]: [key(1), key(2)],
  [Role.accountUpdate]: [key(3)],
  [Role.feePayer]: [key(4), key(5)],
};
const keys = { keyring: Object.values(keyring) };
const publicKeys = (privateKeys: readonly Uint8Array[]) => privateKeys.map(publicKeyOf);

function transaction(code: number) {
  const type = transactionType(code) as TransactionType;
  const feePayer = type.feeMode === "sender" ? {} : { feePayer: address, feePayerSignatures: [] };
  const parts = {
    nonce: 0n,
    gas: 21_000n,
    gasPrice: 25n,
    to: address,
    value: 1n,
    input: new Uint8Array(0),
    ...feePayer,
  };
  const from = code === 0 ? {} : { from: address };
  return createTransaction({ type, ...parts, ...from, ...(code === 0x20 && { key: hexToBytes("0x01c0") }) });
}

function senderKeys(code: number, of = keys) {
  const tx = transaction(code);
  const signed = withSignatures(tx, signWith(of, { tx, chainId, role: "sender" }), chainId);
  return recoverSigners(signed, chainId).senderKeys;
}

describe("keys by role", () => {
  it("sign for their role, all of them", () => {
    expect(senderKeys(0x08)).toEqual(publicKeys([key(1), key(2)]));
    expect(senderKeys(0x20)).toEqual(publicKeys([key(3)]));
    const tx = transaction(0x09);
    const sender = withSignatures(tx, signWith(keys, { tx, chainId, role: "sender" }), chainId);
    const paid = withFeePayerSignatures(sender, signWith(keys, { tx, chainId, role: "feePayer" }), chainId);
    expect(recoverSigners(paid, chainId).senderKeys).toEqual(publicKeys([key(1), key(2)]));
    expect(recoverSigners(paid, chainId).feePayerKeys).toEqual(publicKeys([key(4), key(5)]));
  });

  it("default to those of the transaction role", () => {
    expect(senderKeys(0x20, { keyring: [[key(1)]] })).toEqual(publicKeys([key(1)]));
    expect(senderKeys(0x20, { keyring: [[key(1)], [], [key(2)]] })).toEqual(publicKeys([key(1)]));
  });

  it("make a single signature for Ethereum's types", () => {
    expect(senderKeys(0)).toEqual(publicKeys([key(1)]));
  });

  it("are required", () => {
    const tx = transaction(0x08);
    expect(() => signWith({ keyring: [] }, { tx, chainId, role: "sender" })).toThrowError(
      "no key for given address or file",
    );
  });
});
