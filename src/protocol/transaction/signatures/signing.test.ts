import { describe, expect, it } from "vitest";
import { addressOfPublicKey, publicKeyOf } from "../../crypto/secp256k1.ts";
import { bytesToHex, hexToBytes } from "../../primitives/hex.ts";
import { createTransaction, decodeTransaction, encodeTransaction } from "../envelope.ts";
import { transactionHash } from "../hash.ts";
import { readCases } from "../testing/fixtures.ts";
import type { Signature, Transaction } from "../transaction.ts";
import { createInlineRecovery, keepRows, recoverRows, recoveryPayload } from "./recovery.ts";
import { authorityOf, chainIdOf, recoverSender, recoverSigners, signedHashes } from "./signers.ts";
import { signAsFeePayer, signTransaction } from "./signing.ts";

interface Vector {
  name: string;
  chainId: string;
  raw: string;
  from: string;
  privateKeys: string[];
  feePayerPrivateKeys?: string[];
}

interface Example {
  name: string;
  chainId: string;
  raw: string;
  privateKey: string;
  feePayerPrivateKey?: string;
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const vectors = readCases<Vector>("transactions.json");
const examples = readCases<Example>("official-examples.json");
const KEY = hexToBytes(`0x${"46".repeat(32)}`);
const keysOf = (hex: readonly string[] = []) => hex.map(hexToBytes);

/** The same transaction as its author began with it. */
function unsigned(tx: Transaction): Transaction {
  return createTransaction({ ...tx, signatures: [], feePayerSignatures: undefined });
}

describe("signing", () => {
  it.each(vectors.map((v) => [v.name, v] as const))("produces the published bytes of %s", (_, vector) => {
    const chainId = BigInt(vector.chainId);
    const sent = signTransaction(
      unsigned(decodeTransaction(hexToBytes(vector.raw))),
      keysOf(vector.privateKeys),
      chainId,
    );
    const payers = keysOf(vector.feePayerPrivateKeys);
    const paid = payers.length === 0 ? sent : signAsFeePayer(sent, payers, chainId);
    expect(bytesToHex(encodeTransaction(paid))).toBe(vector.raw);
  });

  it.each(vectors.map((v) => [v.name, v] as const))("says who signed %s, as far as it does", (_, vector) => {
    const tx = decodeTransaction(hexToBytes(vector.raw));
    const { sender, feePayer } = signedHashes(tx, BigInt(vector.chainId));
    expect(sender.map(({ by }) => by)).toEqual(tx.signatures.map(() => tx.from));
    expect(feePayer.map(({ by }) => by)).toEqual((tx.feePayerSignatures ?? []).map(() => tx.feePayer));
  });

  it.each(examples.map((v) => [v.name, v] as const))("produces the documentation's %s", (_, vector) => {
    const chainId = BigInt(vector.chainId);
    const tx = decodeTransaction(hexToBytes(vector.raw));
    const sent = signTransaction(unsigned(tx), keysOf([vector.privateKey]), chainId);
    expect(sent.signatures.map(plain)).toEqual(tx.signatures.map(plain));
    if (vector.feePayerPrivateKey === undefined) return;
    const paid = signAsFeePayer(sent, keysOf([vector.feePayerPrivateKey]), chainId);
    expect(bytesToHex(encodeTransaction(paid))).toBe(vector.raw);
  });

  it.each([
    ["no key", () => signTransaction(exampleOf("TxTypeValueTransfer-0"), [], 1n), "slice is empty"],
    [
      "eleven keys",
      () => signTransaction(exampleOf("TxTypeCancel-0"), Array(11).fill(KEY), 1n),
      "the number of keys exceeds the limit",
    ],
    [
      "two keys for an Ethereum type",
      () => signTransaction(exampleOf("TxTypeEthereumAccessList-0"), [KEY, KEY], 0x7e3n),
      "the number of signatures should be one",
    ],
    [
      "a chain id that contradicts the field",
      () => signTransaction(exampleOf("TxTypeEthereumAccessList-0"), [KEY], 1n),
      "invalid chain id for signer",
    ],
    [
      "a fee payer where there is none",
      () => signAsFeePayer(exampleOf("TxTypeCancel-0"), [KEY], 1n),
      "not a fee delegation type transaction",
    ],
  ])("refuses %s", (_, act, message) => {
    expect(act).toThrowError(expect.objectContaining({ message }));
  });
});

function plain({ v, r, s }: Signature): Signature {
  return { v, r, s };
}

describe("recovery", () => {
  it.each(vectors.map((v) => [v.name, v] as const))("finds the signers of %s", (_, vector) => {
    const tx = decodeTransaction(hexToBytes(vector.raw));
    const { sender, senderKeys, feePayerKeys } = recoverSigners(tx, BigInt(vector.chainId));
    expect(bytesToHex(sender)).toBe(vector.from);
    expect(senderKeys.map(bytesToHex)).toEqual(
      keysOf(vector.privateKeys).map((k) => bytesToHex(publicKeyOf(k))),
    );
    const payers = keysOf(vector.feePayerPrivateKeys).map((k) => bytesToHex(publicKeyOf(k)));
    expect(feePayerKeys.map(bytesToHex)).toEqual(payers);
  });

  it("gives the same result with rows from another thread", async () => {
    const chainId = 0x7e3n;
    const raws = vectors.filter((v) => BigInt(v.chainId) === chainId).map((v) => hexToBytes(v.raw));
    const [here, there] = [raws.map(decodeTransaction), raws.map(decodeTransaction)];
    keepRows(there, recoverRows(recoveryPayload(there), chainId), chainId);
    await createInlineRecovery(chainId).recover(here);
    expect(there.map((tx) => recoverSigners(tx, chainId))).toEqual(
      here.map((tx) => recoverSigners(tx, chainId)),
    );
  });

  it("keeps nothing else of those rows alive", () => {
    const chainId = 0x7e3n;
    const raw = hexToBytes(vectors.find((v) => BigInt(v.chainId) === chainId)?.raw as string);
    const transactions = Array.from({ length: 256 }, () => decodeTransaction(raw));
    const rows = recoverRows(recoveryPayload(transactions), chainId);
    keepRows(transactions, rows, chainId);
    const [tx] = transactions;
    const { sender, senderKeys, feePayerKeys } = recoverSigners(tx as Transaction, chainId);
    for (const bytes of [transactionHash(tx as Transaction), sender, ...senderKeys, ...feePayerKeys])
      expect(bytes.buffer.byteLength).toBe(bytes.length);
  });

  const transfer = exampleOf("TxTypeValueTransfer-0");
  const delegated = exampleOf("TxTypeFeeDelegatedValueTransfer-0");
  const dynamic = exampleOf("TxTypeEthereumDynamicFee-0");
  const legacyTx = exampleOf("TxTypeLegacyTransaction-0");
  const highS = ({ v, r, s }: Signature) => ({ v, r, s: ORDER - s });

  it.each([
    ["another chain", transfer, 1n, "invalid chain id for signer"],
    ["another chain, Ethereum type", dynamic, 1n, "invalid chain id for signer"],
    ["unprotected v in a Kaia type", withV(transfer, 27n), 0x7e3n, "invalid chain id for signer"],
    [
      "a high s",
      { ...transfer, signatures: transfer.signatures.map(highS) },
      0x7e3n,
      "invalid transaction v, r, s values",
    ],
    ["parity 2", withV(dynamic, 2n), 0x7e3n, "invalid transaction v, r, s values"],
    ["two legacy signatures", twice(legacyTx), 0x7e3n, "the number of signatures should be one"],
    ["a fee payer of another chain", payerV(delegated, 37n), 0x7e3n, "invalid transaction v, r, s values"],
  ] as const)("rejects %s with the reference's text", (_, tx, chainId, message) => {
    expect(() => recoverSigners(tx, chainId)).toThrowError(expect.objectContaining({ message }));
  });

  it("finds the sender even if the fee payer's signature is invalid", () => {
    expect(recoverSender(payerV(delegated, 37n), 0x7e3n).sender).toEqual(delegated.from);
  });

  it("accepts an unprotected legacy transaction on any chain", () => {
    // https://eips.ethereum.org/EIPS/eip-155: v of 27 and 28 stays valid
    const bare = createTransaction({ ...legacyTx, signatures: [{ v: 27n, r: 1n, s: 1n }] });
    const signer = recoverSender(bare, 5n);
    expect(recoverSender(bare, 77n).sender).toEqual(signer.sender);
    expect(chainIdOf(bare)).toBe(0n);
    expect(recoverSender(signTransaction(bare, [KEY], 5n), 5n).sender).toEqual(
      addressOfPublicKey(publicKeyOf(KEY)),
    );
  });

  it("finds the authority of every published authorization", () => {
    const authorizations = vectors.flatMap(
      (v) => decodeTransaction(hexToBytes(v.raw)).authorizationList ?? [],
    );
    expect(authorizations.length).toBeGreaterThan(0);
    for (const authorization of authorizations) {
      expect(authorityOf(authorization)).toHaveLength(20);
      expect(authorityOf({ ...authorization, s: ORDER - authorization.s })).toBeUndefined();
    }
  });
});

function exampleOf(name: string): Transaction {
  const vector = vectors.find((v) => v.name === name);
  if (vector === undefined) throw new Error(`no vector ${name}`);
  return decodeTransaction(hexToBytes(vector.raw));
}

function withV(tx: Transaction, v: bigint): Transaction {
  return { ...tx, signatures: tx.signatures.map(({ r, s }) => ({ v, r, s })) };
}

function payerV(tx: Transaction, v: bigint): Transaction {
  return { ...tx, feePayerSignatures: (tx.feePayerSignatures ?? []).map(({ r, s }) => ({ v, r, s })) };
}

function twice(tx: Transaction): Transaction {
  return { ...tx, signatures: [...tx.signatures, ...tx.signatures] };
}
