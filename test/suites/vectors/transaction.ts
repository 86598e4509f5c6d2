import { renderSigned, renderTransaction } from "../../../src/api/rpc/render/transaction.ts";
import { keccak256 } from "../../../src/protocol/crypto/keccak.ts";
import { FORKS } from "../../../src/protocol/params/forks.ts";
import { rulesOfLevel } from "../../../src/protocol/params/rules.ts";
import { bytesToHex as hex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { anchoringToJson } from "../../../src/protocol/transaction/anchoring.ts";
import {
  createTransaction,
  decodeTransaction,
  encodeTransaction,
  feePayerSigningPayload,
  senderTransactionHash,
  signingPayload,
  transactionHash,
  transactionSize,
} from "../../../src/protocol/transaction/envelope.ts";
import { splitFee } from "../../../src/protocol/transaction/fees.ts";
import { floorGas, intrinsicGas } from "../../../src/protocol/transaction/gas.ts";
import {
  recoverSigners,
  signAsFeePayer,
  signTransaction,
} from "../../../src/protocol/transaction/signatures/signing.ts";
import { transactionTypeByName } from "../../../src/protocol/transaction/type-table.ts";
import type { TransactionType } from "../../../src/protocol/transaction/types.ts";
import { casesOf, failureOf, same } from "./vector-case.ts";

/** transactions.json: encodings, hashes, signatures, JSON of every type. */
export const transactions = casesOf((vector) => {
  const tx = decodeTransaction(hexToBytes(vector.raw));
  const chainId = BigInt(vector.chainId);
  same(tx.type.name, vector.type, "type");
  same(hex(encodeTransaction(createTransaction(tx))), vector.raw, "raw");
  same(transactionSize(tx), vector.size, "size");
  checkHashes(vector);
  same(hex(recoverSigners(tx, chainId).sender), vector.from.toLowerCase(), "from");
  same(hex(encodeTransaction(signedAgain(vector))), vector.raw, "signed again");
  same(JSON.stringify(renderSigned(tx)), JSON.stringify(vector.json), "json");
  const shown = Object.entries(renderTransaction({ tx, chainId, index: 0 }));
  const own = Object.fromEntries(shown.filter(([name]) => name in vector.rpcFields));
  same(JSON.stringify(own), JSON.stringify(vector.rpcFields), "rpcFields");
});

/** official-examples.json: the examples of the protocol's documentation. */
export const officialExamples = casesOf(checkHashes);

/** transactions-decode.json: what is a transaction. The texts of RLP faults are the reference's own. */
export const transactionsDecode = casesOf(({ raw, error, txHash, type }) => {
  const failure = failureOf(() => decodeTransaction(hexToBytes(raw)));
  same(failure === null, error === null, `accepted (${failure})`);
  if (error !== null) return;
  const tx = decodeTransaction(hexToBytes(raw));
  same(tx.type.name, type, "type");
  same(hex(transactionHash(tx)), txHash, "txHash");
});

/** intrinsic-gas.json: gas before execution, and the floor from prague on. */
export const intrinsic = casesOf((vector) => {
  const to = new Uint8Array(20).fill(1);
  const authorization = { chainId: 1n, address: to, nonce: 0n, yParity: 0n, r: 1n, s: 1n };
  const tx = createTransaction({
    type: transactionTypeByName(vector.type) as TransactionType,
    input: hexToBytes(vector.input),
    accessList: vector.accessList?.map((entry: { address: string; storageKeys: string[] }) => ({
      address: hexToBytes(entry.address),
      storageKeys: entry.storageKeys.map(hexToBytes),
    })),
    to: vector.contractCreation ? undefined : to,
    from: to,
    key: hexToBytes(vector.key ?? "0x01c0"),
    authorizationList: new Array(vector.authorizationCount ?? 0).fill(authorization),
  });
  const rules = rulesOfLevel(1n, FORKS.indexOf(vector.fork) + 1);
  same(
    failureOf(() => intrinsicGas(tx, rules)),
    vector.error,
    "error",
  );
  if (vector.error !== null) return;
  same(intrinsicGas(tx, rules), vector.intrinsicGas, "intrinsicGas");
  same(floorGas(tx, rules), vector.floorDataGas ?? 0, "floorDataGas");
});

/** fee-ratio.json: both parts of a shared fee. */
export const feeRatio = casesOf(({ fee, ratio, feePayer, sender }) => {
  same(splitFee(BigInt(fee), ratio), { feePayer, sender }, "shares");
});

/** anchoring-data.json: how anchored data is shown. */
export const anchoringData = casesOf(({ data, error, json }) => {
  same(
    failureOf(() => anchoringToJson(hexToBytes(data))),
    error,
    "error",
  );
  if (error === null) same(JSON.parse(JSON.stringify(anchoringToJson(hexToBytes(data)))), json, "json");
});

// biome-ignore lint/suspicious/noExplicitAny: published JSON
function checkHashes(vector: any): void {
  const tx = createTransaction(decodeTransaction(hexToBytes(vector.raw)));
  const chainId = BigInt(vector.chainId);
  same(hex(transactionHash(tx)), vector.txHash, "txHash");
  same(hex(senderTransactionHash(tx)), vector.senderTxHash, "senderTxHash");
  same(hex(signingPayload(tx, chainId)), vector.sigRLP, "sigRLP");
  same(hex(keccak256(signingPayload(tx, chainId))), vector.sigHash, "sigHash");
  if (vector.feePayerSigRLP === undefined) return;
  same(hex(feePayerSigningPayload(tx, chainId)), vector.feePayerSigRLP, "feePayerSigRLP");
}

// biome-ignore lint/suspicious/noExplicitAny: published JSON
function signedAgain(vector: any): ReturnType<typeof decodeTransaction> {
  const chainId = BigInt(vector.chainId);
  const decoded = decodeTransaction(hexToBytes(vector.raw));
  const unsigned = createTransaction({ ...decoded, signatures: [], feePayerSignatures: undefined });
  const signed = signTransaction(unsigned, vector.privateKeys.map(hexToBytes), chainId);
  const payers: string[] = vector.feePayerPrivateKeys ?? [];
  return payers.length === 0 ? signed : signAsFeePayer(signed, payers.map(hexToBytes), chainId);
}
