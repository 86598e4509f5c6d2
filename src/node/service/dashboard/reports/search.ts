import type { Names } from "../../../../api/artifacts/names.ts";
import { MAX_SEARCH_LENGTH } from "../../../../api/rpc/spec/dashboard/dashboard.ts";
import type { Found } from "../../../../api/rpc/spec/dashboard/wire.ts";
import type { Blockchain } from "../../../../ledger/chain/blockchain.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";

/** What a text may stand for: a block number, a hash, an address, a selector or the topic of an event. */
export function search(text: string, chain: Blockchain, names: Names): readonly Found[] {
  const trimmed = text.trim().slice(0, MAX_SEARCH_LENGTH).toLowerCase();
  const number = numberOf(trimmed);
  if (number !== undefined && number <= chain.head.header.number)
    return [{ kind: "block", id: String(number), text: `block ${number}` }];
  const bytes = bytesOf(trimmed);
  if (bytes === undefined) return [];
  if (bytes.length === 20) return [account(bytes, names)];
  if (bytes.length === 32) return ofHash(bytes, chain, names);
  if (bytes.length !== 4) return [];
  const name = names.selector(bytes);
  return name === undefined ? [] : [{ kind: "function", id: bytesToHex(bytes), text: name }];
}

function ofHash(hash: Uint8Array, chain: Blockchain, names: Names): readonly Found[] {
  const id = bytesToHex(hash);
  const original = chain.locate(hash) === undefined ? chain.transactionHashBySender(hash) : hash;
  if (original !== undefined)
    return [{ kind: "transaction", id: bytesToHex(original), text: `transaction ${bytesToHex(original)}` }];
  const number = chain.number(hash);
  if (number !== undefined) return [{ kind: "block", id: String(number), text: `block ${number}` }];
  const event = names.topic(hash);
  return event === undefined ? [] : [{ kind: "event", id, text: event }];
}

function account(address: Uint8Array, names: Names): Found {
  const id = bytesToHex(address);
  return { kind: "account", id, text: names.contract(address) ?? `account ${id}` };
}

function numberOf(text: string): bigint | undefined {
  const isNumber = /^\d{1,15}$/.test(text) || /^0x[0-9a-f]{1,7}$/.test(text);
  return isNumber ? BigInt(text) : undefined;
}

function bytesOf(text: string): Uint8Array | undefined {
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  return /^[0-9a-f]+$/.test(digits) && digits.length % 2 === 0 ? hexToBytes(`0x${digits}`) : undefined;
}
