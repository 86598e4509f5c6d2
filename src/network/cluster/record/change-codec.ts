import { ByteTable } from "../../../ledger/database/table/byte-table.ts";
import { PackedSlots } from "../../../ledger/state/packed-slots.ts";
import type { AccountChange, StateChanges } from "../../../ledger/state/state.ts";
import { runSync } from "../../../platform/runtime/turns/pace.ts";
import { hasCode } from "../../../protocol/account/account.ts";
import { decodeAccount, encodeAccount } from "../../../protocol/account/account-codec.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { decodeBlockInSteps, encodeBlock } from "../../../protocol/block/block-codec.ts";
import type { Header } from "../../../protocol/block/header.ts";
import type { Receipt } from "../../../protocol/block/receipt.ts";
import {
  countStoredReceipts,
  decodeStoredReceiptsInSteps,
  encodeStoredReceipts,
} from "../../../protocol/block/receipt-codec.ts";
import { encodeItem, type Item } from "../../../protocol/codec/rlp/item.ts";
import { encodeList } from "../../../protocol/codec/rlp/list.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { type Address, concat, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";

/** Maximum payload in bytes: some six times the largest block. */
export const MAX_PAYLOAD = 64 << 20;
/** Maximum block in a payload in bytes, as in messages of peers. */
const MAX_BLOCK = 12 << 20;
/** Maximum accounts and slots of a block together: as many slots as fit into a payload. */
const MAX_ROWS = 1 << 20;
/** Accounts and slots that a block may change whatever its gas: rewards, contracts of the system, balances moved by a fork. */
const ROWS_WITHOUT_GAS = 1 << 14;
/**
 * Minimum gas of a changed account or slot, with a wide margin: a write to a slot is 5,000 at least, and changes an account as well; refunds
 * return at most half.
 */
const ROW_GAS = 500n;
/** Maximum accounts: as many as a request can edit on a development chain, and far more than any block's gas pays for. */
const MAX_ACCOUNTS = 1 << 18;
/** Bytes of an address. */
const ADDRESS = 20;
/** Gas of the cheapest log. @see Yellow Paper, appendix G: LOG0 without data */
const LOG_GAS = 375n;
/** Maximum codes of one block. */
const MAX_CODES = 1 << 16;
/** Maximum bytes of a code: more than an edit of a development chain can set in a request. */
const MAX_CODE = 8 << 20;
/** Accounts, slots or codes decoded per step. */
const ROWS_PER_STEP = 256;
/** Bytes of codes hashed per step. */
const CODE_PER_STEP = 256 << 10;

/** A committed block with everything needed to reach its state without executing it. */
export interface BlockChange {
  readonly block: Block;
  readonly receipts: readonly Receipt[];
  /** The sender of each transaction, as recovered from its signatures. */
  readonly senders: readonly Address[];
  readonly changes: StateChanges;
}

const TRUE = Uint8Array.of(1);

/**
 * The payload of a record: `rlp([block, receipts in storage form, concatenated senders, [code…], [[address, account or empty,
 * storage cleared, [slot, value…]]…]])`. Accounts are as in the trie; their storage roots follow from the slots.
 * @param stored - the encoded receipts, if available
 */
export function encodeChange(
  { block, receipts, senders, changes }: BlockChange,
  stored: Uint8Array = encodeStoredReceipts(receipts),
): Uint8Array {
  return encodeList([
    encodeBlock(block),
    stored,
    encodeItem(concat(...senders)),
    encodeItem(changes.codes.map(({ code }) => code)),
    encodeItem(changes.accounts.map(accountItem)),
  ]);
}

function accountItem({ address, account, storageCleared, storage }: AccountChange): Item {
  return [
    address,
    account === undefined ? EMPTY_BYTES : encodeAccount(account),
    storageCleared ? TRUE : EMPTY_BYTES,
    Array.from(storage, ({ slot, value }) => [slot, value]).flat(),
  ];
}

/**
 * Decodes a payload without verifying it. Codes of no changed account are left out.
 * @param hashCode - Keccak-256, the key of codes
 * @returns views of the input
 * @throws RlpError, TransactionError, AccountFormatError; RangeError if a count exceeds what a block can have, or for duplicates
 */
export function decodeChange(payload: Uint8Array, hashCode: (code: Uint8Array) => Uint8Array): BlockChange {
  return runSync(decodeChangeInSteps(payload, { hashCode, checkHeader: () => {} }));
}

/**
 * As `decodeChange`, in steps.
 * @param checks.checkHeader - called before anything else is decoded; may throw
 */
export function* decodeChangeInSteps(
  payload: Uint8Array,
  checks: {
    hashCode(code: Uint8Array): Uint8Array;
    checkHeader(header: Header): void;
    /** Maximum accounts and slots together; absent = those of any block or edit. */
    mostRows?(header: Header): number;
  },
): Generator<void, BlockChange> {
  const reader = new RlpReader(payload);
  reader.enterList("change");
  const encoded = reader.raw();
  if (encoded.length > MAX_BLOCK) throw new RangeError(`its block has more than ${MAX_BLOCK} bytes`);
  const block = yield* decodeBlockInSteps(encoded, checks.checkHeader);
  const receipts = yield* readReceipts(reader.raw(), block);
  const senders = readSenders(reader.bytes(), block.transactions.length);
  const rawCodes = reader.raw();
  const accounts = yield* readAccounts(
    reader,
    Math.min(MAX_ROWS, checks.mostRows?.(block.header) ?? MAX_ROWS),
  );
  reader.leaveList();
  reader.finish();
  const codes = yield* readCodes(rawCodes, accounts, checks.hashCode);
  return { block, receipts, senders, changes: { accounts, codes } };
}

/** Maximum accounts and slots that the transactions of a block can change, by the gas that they used. */
export function rowsPaidFor({ gasUsed }: Header): number {
  return ROWS_WITHOUT_GAS + Number(gasUsed / ROW_GAS);
}

/** Counts receipts and logs before decoding them, since a small payload may expand in memory. Refunds return at most half of the gas. */
function* readReceipts(bytes: Uint8Array, { header, transactions }: Block): Generator<void, Receipt[]> {
  const { receipts, logs } = yield* countStoredReceipts(bytes);
  if (receipts !== transactions.length) throw new RangeError("it has not one receipt for each transaction");
  if (BigInt(logs) * LOG_GAS > 2n * header.gasUsed || logs > MAX_ROWS)
    throw new RangeError("it has more logs than its gas pays for");
  return yield* decodeStoredReceiptsInSteps(bytes);
}

function readSenders(bytes: Uint8Array, count: number): Address[] {
  if (bytes.length !== count * ADDRESS) throw new RangeError("it names not one sender for each transaction");
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * ADDRESS, (i + 1) * ADDRESS));
}

/** @param mostRows - maximum accounts and slots together */
function* readAccounts(reader: RlpReader, mostRows: number): Generator<void, AccountChange[]> {
  const accounts: AccountChange[] = [];
  const [seen, seenSlots] = [new ByteTable(), new ByteTable()];
  let rows = 0;
  reader.enterList("accounts");
  while (!reader.atEnd) {
    if (accounts.length === MAX_ACCOUNTS || rows >= mostRows) throw tooMany();
    const account = yield* readAccount(reader, mostRows - ++rows, seenSlots);
    rows += account.storage.length;
    addOnce(seen, account.address, "an account");
    if (accounts.push(account) % ROWS_PER_STEP === 0) yield;
  }
  reader.leaveList();
  return accounts;
}

/** @param mostSlots - maximum slots @param seen - for the slots of one account after another */
function* readAccount(reader: RlpReader, mostSlots: number, seen: ByteTable): Generator<void, AccountChange> {
  reader.enterList("account");
  const address = reader.fixed(20, "common.Address");
  const encoded = reader.bytes();
  const storageCleared = reader.bool();
  const storage = new PackedSlots();
  if (seen.size > 0) seen.clear();
  reader.enterList("storage");
  while (!reader.atEnd) {
    if (storage.length >= mostSlots) throw tooMany();
    const slot = reader.fixed(32, "common.Hash");
    addOnce(seen, slot, "a slot");
    storage.add(slot, readValue(reader));
    if (storage.length % ROWS_PER_STEP === 0) yield;
  }
  reader.leaveList();
  reader.leaveList();
  const account = encoded.length === 0 ? undefined : decodeAccount(encoded);
  return { address, account, storageCleared, storage };
}

/** The codes of the accounts, without duplicates: others would only fill the disk. */
function* readCodes(
  bytes: Uint8Array,
  accounts: readonly AccountChange[],
  hashCode: (code: Uint8Array) => Uint8Array,
): Generator<void, StateChanges["codes"]> {
  const wanted = new Set<string>();
  for (const [i, { account }] of accounts.entries()) {
    if (account !== undefined && hasCode(account)) wanted.add(nameOf(account.codeHash));
    if (i % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  const codes: { readonly hash: Uint8Array; readonly code: Uint8Array }[] = [];
  const reader = new RlpReader(bytes);
  reader.enterList("codes");
  let hashed = 0;
  for (let count = 0; !reader.atEnd; count++) {
    const code = reader.bytes();
    if (count === MAX_CODES || code.length > MAX_CODE) throw tooMany();
    const hash = hashCode(code);
    hashed += CODE_PER_STEP / ROWS_PER_STEP + code.length;
    if (hashed > CODE_PER_STEP) {
      hashed = 0;
      yield;
    }
    if (wanted.delete(nameOf(hash))) codes.push({ hash, code });
  }
  return codes;
}

/** Rejects duplicates, for which root and rows could end up with different values. */
function addOnce(seen: ByteTable, key: Uint8Array, what: string): void {
  const known = seen.size;
  seen.set(key, EMPTY_BYTES);
  if (seen.size === known) throw new RangeError(`${what} stands in it twice`);
}

function nameOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

function tooMany(): RangeError {
  return new RangeError("it changes more than a block can, or than its gas pays for");
}

/** At most 32 bytes without leading zeros, as the state stores values. */
function readValue(reader: RlpReader): Uint8Array {
  const value = reader.bytes();
  if (value.length > 32 || value[0] === 0) throw new RangeError("a value of storage is not canonical");
  return value;
}
