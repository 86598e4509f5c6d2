import { blobTransaction } from "../../src/node/testing/blobs.ts";
import { encodeItem } from "../../src/protocol/codec/rlp/item.ts";
import { keccak256 } from "../../src/protocol/crypto/keccak.ts";
import { addressOfPublicKey, publicKeyOf, sign } from "../../src/protocol/crypto/secp256k1.ts";
import { concat, EMPTY_BYTES } from "../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../src/protocol/primitives/hex.ts";
import { encodeTransaction } from "../../src/protocol/transaction/envelope.ts";
import { signAsFeePayer, signTransaction } from "../../src/protocol/transaction/signatures/signing.ts";
import type { Authorization, Transaction } from "../../src/protocol/transaction/transaction.ts";
import { TRANSACTION_TYPES } from "../../src/protocol/transaction/type-table.ts";
import { type TransactionType, TypeCode } from "../../src/protocol/transaction/types.ts";
import { createTransaction } from "../../src/protocol/transaction/value.ts";

const GAS_PRICE = 250_000_000_000n;
const RECIPIENT = new Uint8Array(20).fill(0x77);
/** A contract in the genesis that accepts any call. */
const CONTRACT = hexToBytes("0x0000000000000000000000000000000000000400");
/** Prefix of the signed part of an authorization. @see EIP-7702 */
const AUTHORIZATION_MAGIC = 0x05;
/** A legacy account key: the one of the address. */
const LEGACY_KEY = hexToBytes("0x01c0");
/** `PUSH1 0 PUSH1 0 RETURN` */
const INIT_CODE = hexToBytes("0x60006000f3");

/** The signer and chain. */
export interface Signing {
  readonly senderKey: Uint8Array;
  readonly feePayerKey: Uint8Array;
  /** Account whose code is set. */
  readonly authorityKey: Uint8Array;
  readonly chainId: bigint;
}

/** A signed transaction. */
export interface Sendable {
  readonly type: TransactionType;
  readonly raw: string;
}

/**
 * One transaction of each type. Senders alternate, with nonces counting from `nonces`.
 * @param nonces - the next one of each sender
 */
export function everyType(
  senders: readonly Signing["senderKey"][],
  nonces: readonly bigint[],
  shared: Omit<Signing, "senderKey">,
): readonly Sendable[] {
  return TRANSACTION_TYPES.map((type, index) => {
    const turn = index % senders.length;
    const signing = { ...shared, senderKey: senders[turn] as Uint8Array };
    const nonce = (nonces[turn] as bigint) + BigInt(Math.floor(index / senders.length));
    const transaction = type.code === TypeCode.blob ? ofBlob(signing, nonce) : signed(type, nonce, signing);
    return { type, raw: bytesToHex(encodeTransaction(transaction)) };
  });
}

function ofBlob({ senderKey, chainId }: Signing, nonce: bigint): Transaction {
  return blobTransaction({ privateKey: senderKey, chainId, nonce });
}

function signed(type: TransactionType, nonce: bigint, signing: Signing): Transaction {
  const { senderKey, feePayerKey, chainId } = signing;
  const isDelegated = type.feeMode !== "sender";
  const unsigned = createTransaction({
    ...{ type, nonce, gas: 1_000_000n, gasPrice: GAS_PRICE, value: 0n, input: EMPTY_BYTES },
    ...(type.ethereum ? ethereumParts(type, signing) : kaiaParts(type, signing)),
    ...(isDelegated && { feePayer: addressOf(feePayerKey) }),
    ...(type.feeMode === "shared" && { feeRatio: 30 }),
  });
  const once = signTransaction(unsigned, [senderKey], chainId);
  return isDelegated ? signAsFeePayer(once, [feePayerKey], chainId) : once;
}

function ethereumParts({ code }: TransactionType, signing: Signing): Partial<Transaction> {
  const { chainId } = signing;
  const plain = { to: RECIPIENT, value: 1n };
  if (code === TypeCode.legacy) return plain;
  const typed = { ...plain, chainId, accessList: [{ address: CONTRACT, storageKeys: [new Uint8Array(32)] }] };
  if (code === TypeCode.accessList) return typed;
  const dynamic = { ...typed, maxPriorityFeePerGas: 0n };
  return code === TypeCode.setCode ? { ...dynamic, authorizationList: [authorization(signing)] } : dynamic;
}

function kaiaParts({ effect }: TransactionType, { senderKey }: Signing): Partial<Transaction> {
  const from = addressOf(senderKey);
  switch (effect) {
    case "transfer":
      return { from, to: RECIPIENT, value: 1n };
    case "memo":
      return { from, to: RECIPIENT, value: 1n, input: Uint8Array.of(1, 2, 3) };
    case "accountUpdate":
      return { from, key: LEGACY_KEY };
    case "deploy":
      return { from, input: INIT_CODE, humanReadable: false, codeFormat: 0n };
    case "execute":
      return { from, to: CONTRACT, input: new Uint8Array(4) };
    case "anchor":
      return { from, input: ANCHORED };
    default:
      return { from };
  }
}

/** An anchored block: type 0 and empty fields. */
const ANCHORED = encodeItem([
  EMPTY_BYTES,
  encodeItem([
    ...new Array<Uint8Array>(5).fill(new Uint8Array(32)),
    ...[Uint8Array.of(1), Uint8Array.of(1), EMPTY_BYTES],
  ]),
]);

function authorization({ authorityKey, chainId }: Signing): Authorization {
  const parts = [quantity(chainId), RECIPIENT, EMPTY_BYTES];
  const { parity, r, s } = sign(
    keccak256(concat(Uint8Array.of(AUTHORIZATION_MAGIC), encodeItem(parts))),
    authorityKey,
  );
  return { chainId, address: RECIPIENT, nonce: 0n, yParity: BigInt(parity), r, s };
}

function quantity(value: bigint): Uint8Array {
  const digits = value.toString(16);
  return hexToBytes(`0x${digits.padStart(digits.length + (digits.length % 2), "0")}`);
}

function addressOf(key: Uint8Array): Uint8Array {
  return addressOfPublicKey(publicKeyOf(key));
}
