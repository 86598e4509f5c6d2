import { type RpcError, refused } from "../../../engine/errors.ts";
import type { BlockNumber } from "../../../spec/values/block-ref.ts";
import { type ChainReader, noBlock } from "../../chain/chain-reader.ts";

/** The numbers by which the reference writes tags. */
const LATEST_NUMBER = -1n;
const PENDING_NUMBER = -2n;

/** A number or tag as the signed number that the reference keeps and writes. */
export function signedNumber(number: BlockNumber): bigint {
  if (typeof number === "bigint") return number;
  return number === "pending" ? PENDING_NUMBER : LATEST_NUMBER;
}

/** A range whose end is not after its start; both as signed numbers. */
export function wrongOrder(start: bigint, end: bigint): RpcError {
  return refused(`end block #${end} needs to come after start block #${start}`);
}

/**
 * The first and the last block to trace. The reference subtracts one from the signed number of the first to find the block before
 * it: before block 0 that is the latest one, and before the latest the pending one.
 * @returns block numbers; the last is beyond the head if it is the pending one
 * @throws RpcError -32000
 */
export function rangeOf(
  reader: ChainReader,
  first: BlockNumber,
  last: BlockNumber,
): readonly [first: bigint, last: bigint] {
  const start = signedNumber(first) - 1n;
  const end = signedNumber(last);
  const before = numberOf(reader, start);
  const to = numberOf(reader, end);
  if (before >= to) throw wrongOrder(start, end);
  return [before + 1n, to];
}

/** @throws RpcError -32000 where there is no such block */
function numberOf({ chain }: ChainReader, signed: bigint): bigint {
  const head = chain.head.header.number;
  if (signed === LATEST_NUMBER) return head;
  if (signed === PENDING_NUMBER) return head + 1n;
  return signed < 0n || signed > head ? noBlock(signed) : signed;
}
