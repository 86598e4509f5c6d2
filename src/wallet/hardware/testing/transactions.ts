import { decodeItem } from "../../../protocol/codec/rlp/item.ts";
import { addressOfPublicKey } from "../../../protocol/crypto/secp256k1.ts";
import { type Address, bytesToBigint, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { recoverSender } from "../../../protocol/transaction/signatures/signers.ts";
import { withSignatures } from "../../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { transactionTypeByName } from "../../../protocol/transaction/type-table.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";
import type { Wallet } from "../../wallet.ts";

/** Chain id of the published exchanges. */
export const CHAIN_ID = 2019n;

/** An unrelated account. */
export const RECIPIENT: Address = hexToBytes("0x70997970c51812dc3a010c7d01b50e0d17dc79c8");

/** An unsigned transaction of a type, such as `ValueTransfer`. */
export function transaction(name: string, fields: Partial<Transaction> = {}): Transaction {
  const type = transactionTypeByName(`TxType${name}`);
  if (type === undefined) throw new Error(`no type ${name}`);
  return createTransaction({
    type,
    gas: 21_000n,
    gasPrice: 25_000_000_000n,
    to: RECIPIENT,
    value: 1n,
    input: EMPTY_BYTES,
    ...fields,
  });
}

/** Decodes a signing payload: EIP-155 legacy or dynamic fee. */
export function fromPayload(payload: Uint8Array): Transaction {
  const isLegacy = (payload[0] as number) >= 0xc0;
  const items = decodeItem(payload.subarray(isLegacy ? 0 : 1)) as Uint8Array[];
  const at = (i: number): bigint => bytesToBigint(items[i] as Uint8Array);
  if (isLegacy) {
    const [to, input] = [items[3], items[5]];
    return transaction("LegacyTransaction", {
      nonce: at(0),
      gasPrice: at(1),
      gas: at(2),
      to,
      value: at(4),
      ...(input && { input }),
    });
  }
  const prices = { maxPriorityFeePerGas: at(2), gasPrice: at(3), gas: at(4) };
  return transaction("EthereumDynamicFee", {
    chainId: at(0),
    nonce: at(1),
    ...prices,
    to: items[5],
    value: at(6),
  });
}

/** Signs as sender with a wallet. @returns the address that the signature recovers to */
export async function signerOf(
  wallet: Wallet,
  address: Address,
  tx: Transaction,
  chainId = CHAIN_ID,
): Promise<Address> {
  const made = await wallet.signTransaction(address, { tx, chainId, role: "sender" });
  const { senderKeys } = recoverSender(withSignatures(tx, made, chainId), chainId);
  return addressOfPublicKey(senderKeys[0] as Uint8Array);
}
