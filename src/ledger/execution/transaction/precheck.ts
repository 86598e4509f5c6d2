import { checksumAddress } from "../../../protocol/account/address.ts";
import { KZG_VERSION } from "../../../protocol/block/blob-gas.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { BlockContext } from "../../evm/evm.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import { type RejectionCode, TransactionRejection } from "../errors.ts";

const MAX_UINT256 = 2n ** 256n - 1n;
const MAX_BLOBS = 1;

/** @throws TransactionRejection `NONCE_TOO_HIGH`, `NONCE_TOO_LOW`, `NONCE_MAX` */
export function checkNonce(tx: Transaction, sender: Address, state: StateJournal): void {
  const nonce = state.nonce(sender);
  if (nonce < tx.nonce) throw new TransactionRejection("NONCE_TOO_HIGH", "nonce too high");
  if (nonce > tx.nonce) throw new TransactionRejection("NONCE_TOO_LOW", "nonce too low");
  if (nonce === MAX_UINT64) {
    reject("NONCE_MAX", `nonce has max value: address ${checksumAddress(sender)}, nonce: ${nonce}`);
  }
}

/**
 * Checks the fee caps of a transaction against the base fee, from prague on.
 * @param mayBeFree - whether caps of zero are accepted, as for calls, which pay nothing
 * @throws TransactionRejection `FEE_CAP`
 */
export function checkFeeCaps(
  tx: Transaction,
  sender: Address,
  { rules, baseFee }: BlockContext,
  mayBeFree = true,
): void {
  const cap = tx.gasPrice;
  const tip = tx.maxPriorityFeePerGas ?? cap;
  if (!rules.prague || (mayBeFree && cap === 0n && tip === 0n)) return;
  if (cap > MAX_UINT256) {
    rejectPrice("max fee per gas higher than 2^256-1", sender, `maxFeePerGas bit length: ${bitLength(cap)}`);
  }
  if (tip > MAX_UINT256) {
    const length = `maxPriorityFeePerGas bit length: ${bitLength(tip)}`;
    rejectPrice("max priority fee per gas higher than 2^256-1", sender, length);
  }
  if (cap < tip) {
    const prices = `maxPriorityFeePerGas: ${tip}, maxFeePerGas: ${cap}`;
    rejectPrice("max fee per gas higher than max priority fee per gas", sender, prices);
  }
  if (cap < baseFee) {
    const prices = `maxFeePerGas: ${cap}, baseFee: ${baseFee}`;
    rejectPrice("max fee per gas less than block base fee", sender, prices);
  }
}

/** @throws TransactionRejection `INVALID_BLOB` */
export function checkBlobs(tx: Transaction, sender: Address, { rules, blobBaseFee }: BlockContext): void {
  const hashes = tx.blobVersionedHashes;
  if (hashes === undefined) return;
  if (tx.to === undefined) reject("INVALID_BLOB", "blob transaction of type create");
  if (hashes.length === 0) reject("INVALID_BLOB", "blob transaction missing blob hashes");
  if (rules.osaka && hashes.length > MAX_BLOBS) reject("INVALID_BLOB", "blob transaction has too many blobs");
  const wrong = hashes.findIndex((hash) => hash[0] !== KZG_VERSION);
  if (wrong >= 0) reject("INVALID_BLOB", `blob ${wrong} has invalid hash version`);
  const cap = tx.maxFeePerBlobGas ?? 0n;
  if (rules.osaka && cap < blobBaseFee) {
    const prices = `address ${checksumAddress(sender)} blobGasFeeCap: ${cap}, blobBaseFee: ${blobBaseFee}`;
    reject("INVALID_BLOB", `max fee per blob gas less than block blob gas fee: ${prices}`);
  }
}

/** The reference node writes the sender as a list of decimal bytes. @throws TransactionRejection `INVALID_AUTHORIZATION` */
export function checkAuthorizationList(tx: Transaction, sender: Address): void {
  if (tx.authorizationList === undefined) return;
  if (tx.to === undefined) {
    const text = "EIP-7702 transaction cannot be used to create contract";
    reject("INVALID_AUTHORIZATION", `${text} (sender [${sender.join(" ")}])`);
  }
  if (tx.authorizationList.length === 0) {
    const text = "EIP-7702 transaction with empty auth list";
    reject("INVALID_AUTHORIZATION", `${text} (sender [${sender.join(" ")}])`);
  }
}

function rejectPrice(text: string, sender: Address, prices: string): never {
  reject("FEE_CAP", `${text}: address ${checksumAddress(sender)}, ${prices}`);
}

function reject(code: RejectionCode, text: string): never {
  throw new TransactionRejection(code, text);
}

function bitLength(value: bigint): number {
  return value.toString(2).length;
}
