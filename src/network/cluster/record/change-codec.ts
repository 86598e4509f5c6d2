import type { AccountChange, StateChanges } from "../../../ledger/state/state.ts";
import { decodeAccount, encodeAccount } from "../../../protocol/account/account-codec.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { decodeBlock, encodeBlock } from "../../../protocol/block/block-codec.ts";
import type { Receipt } from "../../../protocol/block/receipt.ts";
import { decodeStoredReceipts, encodeStoredReceipts } from "../../../protocol/block/receipt-codec.ts";
import { encodeItem, type Item } from "../../../protocol/codec/rlp/item.ts";
import { encodeList } from "../../../protocol/codec/rlp/list.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";

/** Largest payload, in bytes: some six times the largest block. */
export const MAX_PAYLOAD = 64 << 20;

/** One committed block with all that it takes to have the state after it, without running it. */
export interface BlockChange {
  readonly block: Block;
  readonly receipts: readonly Receipt[];
  readonly changes: StateChanges;
}

const TRUE = Uint8Array.of(1);

/**
 * The payload of a record: `rlp([block, receipts in storage form, [code…], [[address, account or empty, storage cleared,
 * [slot, value…]]…]])`. Accounts are as in the trie; their storage roots follow from the slots.
 */
export function encodeChange({ block, receipts, changes }: BlockChange): Uint8Array {
  return encodeList([
    encodeBlock(block),
    encodeStoredReceipts(receipts),
    encodeItem(changes.codes.map(({ code }) => code)),
    encodeItem(changes.accounts.map(accountItem)),
  ]);
}

function accountItem({ address, account, storageCleared, storage }: AccountChange): Item {
  return [
    address,
    account === undefined ? EMPTY_BYTES : encodeAccount(account),
    storageCleared ? TRUE : EMPTY_BYTES,
    storage.flatMap(({ slot, value }) => [slot, value]),
  ];
}

/**
 * Decodes a payload; nothing of it is compared with anything.
 * @param hashCode - Keccak-256, by which codes are kept
 * @returns views of the input
 * @throws RlpError, TransactionError, AccountFormatError
 */
export function decodeChange(payload: Uint8Array, hashCode: (code: Uint8Array) => Uint8Array): BlockChange {
  const reader = new RlpReader(payload);
  reader.enterList("change");
  const block = decodeBlock(reader.raw());
  const receipts = decodeStoredReceipts(reader.raw());
  const codes: { readonly hash: Uint8Array; readonly code: Uint8Array }[] = [];
  reader.enterList("codes");
  while (!reader.atEnd) {
    const code = reader.bytes();
    codes.push({ hash: hashCode(code), code });
  }
  reader.leaveList();
  const accounts: AccountChange[] = [];
  reader.enterList("accounts");
  while (!reader.atEnd) accounts.push(readAccount(reader));
  reader.leaveList();
  reader.leaveList();
  reader.finish();
  return { block, receipts, changes: { accounts, codes } };
}

function readAccount(reader: RlpReader): AccountChange {
  reader.enterList("account");
  const address = reader.fixed(20, "common.Address");
  const encoded = reader.bytes();
  const storageCleared = reader.bool();
  const storage: { readonly slot: Uint8Array; readonly value: Uint8Array }[] = [];
  reader.enterList("storage");
  while (!reader.atEnd) storage.push({ slot: reader.fixed(32, "common.Hash"), value: readValue(reader) });
  reader.leaveList();
  reader.leaveList();
  const account = encoded.length === 0 ? undefined : decodeAccount(encoded);
  return { address, account, storageCleared, storage };
}

/** At most 32 bytes without leading zeros, as the state has values. */
function readValue(reader: RlpReader): Uint8Array {
  const value = reader.bytes();
  if (value.length > 32 || value[0] === 0) throw new RangeError("a value of storage is not canonical");
  return value;
}
