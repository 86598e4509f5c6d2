import { TRANSFER_TOPIC } from "../../ledger/execution/transaction/transfer-logs.ts";
import type { Log } from "../../protocol/block/receipt.ts";
import { type Address, bytesToBigint } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";

/** A transfer reported by a log; a contract may report anything. */
export interface TokenTransfer {
  readonly kind: "fungible" | "unique" | "multi";
  readonly sender: Address;
  readonly recipient: Address;
  /** Absent for fungible tokens. */
  readonly tokenId?: bigint;
  readonly amount: bigint;
}

/** Transfer(address,address,uint256) of ERC-20 and ERC-721, KIP-7 and KIP-17 */
const TRANSFER = bytesToHex(TRANSFER_TOPIC);
/** TransferSingle(address,address,address,uint256,uint256) of ERC-1155 and KIP-37 */
const SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
/** TransferBatch(address,address,address,uint256[],uint256[]) */
const BATCH = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
const WORD = 32;

/** The transfers reported by a log in a standard form, one after the other, since a log may report a million; none for any other log. */
export function* tokenTransfers({ topics, data }: Log): Generator<TokenTransfer, void> {
  const [event, first, second, third] = topics;
  if (event === undefined || first === undefined || second === undefined) return;
  const name = bytesToHex(event);
  if (name === TRANSFER) {
    const between = { sender: addressIn(first), recipient: addressIn(second) };
    if (third !== undefined && data.length === 0)
      yield { kind: "unique", ...between, tokenId: bytesToBigint(third), amount: 1n };
    if (third === undefined && data.length === WORD)
      yield { kind: "fungible", ...between, amount: bytesToBigint(data) };
    return;
  }
  if (third === undefined) return;
  const between = { kind: "multi", sender: addressIn(second), recipient: addressIn(third) } as const;
  if (name === SINGLE && data.length === 2 * WORD)
    yield { ...between, tokenId: wordAt(data, 0) as bigint, amount: wordAt(data, WORD) as bigint };
  if (name !== BATCH) return;
  const [ids, amounts] = [listAt(data, 0), listAt(data, WORD)];
  if (ids === undefined || amounts === undefined || ids.count !== amounts.count) return;
  for (let i = 0; i < ids.count; i++) {
    const [tokenId, amount] = [wordAt(data, ids.from + i * WORD), wordAt(data, amounts.from + i * WORD)];
    yield { ...between, tokenId: tokenId as bigint, amount: amount as bigint };
  }
}

function addressIn(topic: Uint8Array): Address {
  return topic.subarray(12);
}

function wordAt(data: Uint8Array, at: number): bigint | undefined {
  return at + WORD <= data.length ? bytesToBigint(data.subarray(at, at + WORD)) : undefined;
}

/** Where a list of words begins whose offset is stored at `at`; undefined if the data does not contain it. */
function listAt(data: Uint8Array, at: number): { readonly from: number; readonly count: number } | undefined {
  const place = wordAt(data, at);
  if (place === undefined || place > BigInt(data.length)) return undefined;
  const count = wordAt(data, Number(place));
  const from = Number(place) + WORD;
  if (count === undefined || count * BigInt(WORD) > BigInt(data.length - from)) return undefined;
  return { from, count: Number(count) };
}
