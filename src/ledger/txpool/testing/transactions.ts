import { sha256 } from "@noble/hashes/sha2.js";
import { addressOfPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { transactionTypeByName } from "../../../protocol/transaction/type-table.ts";
import type { TransactionType } from "../../../protocol/transaction/types.ts";
import { createTransaction, type TransactionParts } from "../../../protocol/transaction/value.ts";

/** An account with its key, for tests. */
export interface TestWallet {
  readonly privateKey: Uint8Array;
  readonly address: Address;
  /** Lower-case 0x hex. */
  readonly key: string;
}

/** The `n`th test account. */
export function wallet(n: number): TestWallet {
  const privateKey = new Uint8Array(32).fill(n + 1);
  const address = addressOfPublicKey(publicKeyOf(privateKey));
  return { privateKey, address, key: bytesToHex(address) };
}

const signed = new Map<string, Transaction>();

/** A signed value transfer. Those that differ in nonce, price and value only are kept, as signing is slow. */
export function transfer(
  sender: TestWallet,
  parts: Partial<TransactionParts> & { readonly nonce: bigint },
  chainId: bigint,
  name = "TxTypeValueTransfer",
): Transaction {
  const { nonce, gasPrice = 25_000_000_000n, value = 1n, ...others } = parts;
  const id = [sender.key, nonce, gasPrice, value, chainId, name].join();
  const isPlain = Object.keys(others).length === 0;
  let transaction = isPlain ? signed.get(id) : undefined;
  if (transaction === undefined) {
    const type = transactionTypeByName(name) as TransactionType;
    const to = type.effect === "cancel" ? {} : { to: new Uint8Array(20).fill(0x77) };
    const whole = { type, gas: 100_000n, gasPrice, value, ...to, from: sender.address, ...parts };
    transaction = signTransaction(createTransaction(whole), [sender.privateKey], chainId);
    if (isPlain) signed.set(id, transaction);
  }
  return transaction;
}

/** A signed blob transaction whose sidecar is valid except for the proofs. */
export function blobTransfer({ privateKey }: TestWallet, nonce: bigint, chainId: bigint): Transaction {
  const commitment = new Uint8Array(48);
  const hash = sha256(commitment).with(0, 1);
  const unsigned = createTransaction({
    type: transactionTypeByName("TxTypeEthereumBlob") as TransactionType,
    chainId,
    nonce,
    gas: 21_000n,
    gasPrice: 50_000_000_000n,
    maxPriorityFeePerGas: 1n,
    maxFeePerBlobGas: 500_000_000_000n,
    to: new Uint8Array(20).fill(0x77),
    value: 1n,
    input: new Uint8Array(0),
    accessList: [],
    blobVersionedHashes: [hash],
    sidecar: {
      version: 1,
      blobs: [new Uint8Array(131_072)],
      commitments: [commitment],
      proofs: Array.from({ length: 128 }, () => new Uint8Array(48)),
    },
  });
  return signTransaction(unsigned, [privateKey], chainId);
}
