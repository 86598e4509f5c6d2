import { type Account, EMPTY_ROOT } from "../../../../protocol/account/account.ts";
import { decodeAccount, encodeAccount } from "../../../../protocol/account/account-codec.ts";
import {
  type Address,
  allocateBytes,
  concat,
  EMPTY_BYTES,
  type Hash,
  leftPad,
  trimLeadingZeros,
} from "../../../../protocol/primitives/bytes.ts";

// Rows of the flat table. Each begins with the preimage of its hashed key, so that dumps can give addresses and slot
// keys, and ends with the value of the trie leaf, so that it is encoded once for both.

const ADDRESS_LENGTH = 20;
const TYPE_EOA = 1;

/** Row of an account: address, then the account as in the trie. */
export function accountRow(address: Address, account: Account): Uint8Array {
  return concat(address, encodeAccount(account));
}

/** Address of an account row (a copy). */
export const addressOfRow = (row: Uint8Array): Address => row.slice(0, ADDRESS_LENGTH);

/** Account of an account row. */
export const accountOfRow = (row: Uint8Array): Account => decodeAccount(row.subarray(ADDRESS_LENGTH));

/** Leaf value of an account row (a view). */
export const accountLeaf = (row: Uint8Array): Uint8Array => row.subarray(ADDRESS_LENGTH);

/** Storage root of an account row; most accounts have the short form, without one. */
export function storageRootOf(row: Uint8Array | null | undefined): Hash {
  return !row || isShortForm(row) ? EMPTY_ROOT : accountOfRow(row).storageRoot;
}

/** Whether the account's RLP list begins with a nonce rather than a nested list. */
function isShortForm(row: Uint8Array): boolean {
  if (row[ADDRESS_LENGTH] !== TYPE_EOA) return false;
  const header = row[ADDRESS_LENGTH + 1] as number;
  const first = row[ADDRESS_LENGTH + (header < 0xf8 ? 2 : header - 0xf7 + 2)] as number;
  return first < 0xc0;
}

/** Row of a slot: length of the slot key without leading zeros, that key, RLP of the value. */
export function slotRow(slot: Hash, value: Uint8Array, allocate = allocateBytes): Uint8Array {
  const number = trimLeadingZeros(slot);
  const isOwnRlp = value.length === 1 && (value[0] as number) < 0x80;
  const row = allocate(1 + number.length + (isOwnRlp ? 1 : 1 + value.length));
  row[0] = number.length;
  row.set(number, 1);
  if (!isOwnRlp) row[1 + number.length] = 0x80 + value.length;
  row.set(value, row.length - value.length);
  return row;
}

/** Slot key of a slot row, 32 bytes. */
export const slotOfRow = (row: Uint8Array): Hash => leftPad(row.slice(1, 1 + (row[0] as number)), 32);

/** Leaf value of a slot row (a view): RLP of the value. */
export const slotLeaf = (row: Uint8Array): Uint8Array => row.subarray(1 + (row[0] as number));

/** Value of a slot row without leading zeros, as a copy; empty for no row. */
export function slotValue(row: Uint8Array | null | undefined): Uint8Array {
  if (!row) return EMPTY_BYTES;
  const leaf = slotLeaf(row);
  return leaf.slice(leaf.length === 1 ? 0 : 1);
}
