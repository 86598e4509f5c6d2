import { describe, expect, it } from "vitest";
import { addressOfPublicKey, publicKeyOf } from "../../crypto/secp256k1.ts";
import { bytesToHex, hexToBytes } from "../../primitives/hex.ts";
import { decodeTransaction } from "../decoding.ts";
import { encodeTransaction } from "../encoding.ts";
import type { Transaction } from "../transaction.ts";
import { transactionType } from "../type-table.ts";
import { createTransaction } from "../value.ts";
import { impersonatedBy, impersonationSignature, vouch } from "./impersonation.ts";
import { recoverSigners, signTransaction, withFeePayerSignatures, withSignatures } from "./signing.ts";

const CHAIN = 1337n;
const key = new Uint8Array(32).fill(7);
const owner = addressOfPublicKey(publicKeyOf(key));
const stranger = hexToBytes("0x00000000000000000000000000000000000a11ce");
const everybody = () => true;

const made = (code: number, parts: Partial<Transaction> = {}): Transaction =>
  createTransaction({
    type: transactionType(code) as Transaction["type"],
    ...{ nonce: 1n, gas: 21_000n, gasPrice: 5n, to: owner, value: 0n, input: new Uint8Array(0) },
    ...{ accessList: [], maxPriorityFeePerGas: 1n, ...parts },
    ...(code > 0xff && { chainId: CHAIN }),
  });
/** As another process reads it. */
const reread = (tx: Transaction): Transaction => decodeTransaction(encodeTransaction(tx));
const impersonated = (tx: Transaction): Transaction =>
  reread(withSignatures(tx, [impersonationSignature(stranger)], CHAIN));

describe("impersonation signatures", () => {
  it.each([0, 0x7801, 0x7802])("give the sender of Ethereum type %i", (code) => {
    const tx = impersonated(made(code));
    expect(impersonatedBy(tx.signatures[0] as never)).toEqual(stranger);
    expect(vouch(tx, CHAIN, everybody)).toBe(true);
    expect(recoverSigners(tx, CHAIN)).toMatchObject({
      sender: stranger,
      vouched: { sender: true, feePayer: false },
    });
  });

  it("are invalid if nobody vouches for them", () => {
    const tx = impersonated(made(0));
    expect(vouch(tx, CHAIN, () => false)).toBe(false);
    const found = attempt(() => bytesToHex(recoverSigners(tx, CHAIN).sender));
    expect(found).not.toBe(bytesToHex(stranger));
  });

  it("are valid only for the account that a Kaia type names", () => {
    const parts = { from: owner };
    expect(vouch(impersonated(made(0x08, parts)), CHAIN, everybody)).toBe(false);
    const tx = impersonated(made(0x08, { from: stranger }));
    expect(vouch(tx, CHAIN, everybody)).toBe(true);
    expect(recoverSigners(tx, CHAIN)).toMatchObject({ sender: stranger, senderKeys: [] });
  });

  it("can be the fee payer's beside a sender's real signature", () => {
    const unsigned = made(0x09, { from: owner, feePayer: stranger, feePayerSignatures: [] });
    const signed = signTransaction(unsigned, [key], CHAIN);
    const tx = reread(withFeePayerSignatures(signed, [impersonationSignature(stranger)], CHAIN));
    expect(vouch(tx, CHAIN, everybody)).toBe(true);
    const { senderKeys, vouched } = recoverSigners(tx, CHAIN);
    expect([senderKeys.length, vouched]).toEqual([1, { sender: false, feePayer: true }]);
  });

  it("are not confused with ordinary signatures", () => {
    const tx = signTransaction(made(0), [key], CHAIN);
    expect(impersonatedBy(tx.signatures[0] as never)).toBeUndefined();
    expect(vouch(tx, CHAIN, everybody)).toBe(false);
    expect(recoverSigners(tx, CHAIN).vouched).toBeUndefined();
  });
});

function attempt(action: () => string): string | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
