import type { Block } from "../../../protocol/block/block.ts";
import { decodeBlock, encodeBlock } from "../../../protocol/block/block-codec.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import { decodeHeader } from "../../../protocol/block/header-codec.ts";
import { readHeader } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { readTransaction } from "../../../protocol/transaction/envelope.ts";
import type { Chain } from "../chain.ts";
import { ChainError } from "../errors.ts";
import { splitBlocks } from "./block-stream.ts";

/**
 * The blocks of a chain file, plain or gzipped, in file order. Block 0, which some files include, is skipped: it is the
 * genesis.
 * @throws ChainError as `splitBlocks`, and `BAD_BLOCK` for a block that cannot be decoded; if its number cannot be read,
 *   `details.after` is that of the previous block
 */
export async function* readBlocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Block, undefined> {
  let after: bigint | undefined;
  try {
    for await (const bytes of splitBlocks(source)) {
      const block = decode(bytes);
      after = block.header.number;
      if (after > 0n) yield block;
    }
  } catch (error) {
    throw located(error, after);
  }
}

/** Adds the number of the preceding block to an error that does not know its own block. */
function located(error: unknown, after: bigint | undefined): unknown {
  if (!(error instanceof ChainError) || error.details["number"] !== undefined || after === undefined)
    return error;
  return new ChainError(error.code, error.message, { ...error.details, after }, { cause: error });
}

/** @throws ChainError `BAD_BLOCK`; `details` identify block and field as far as readable */
function decode(bytes: Uint8Array): Block {
  try {
    return decodeBlock(bytes);
  } catch (cause) {
    if (!(cause instanceof NodeError)) throw cause;
    throw new ChainError("BAD_BLOCK", cause.message, nameOf(bytes), { cause });
  }
}

/** Number and hash of a block whose header can be decoded, and the index of the transaction that cannot. */
function nameOf(bytes: Uint8Array): Record<string, unknown> {
  try {
    const reader = new RlpReader(bytes);
    reader.enterList("types.extblock");
    const header = decodeHeader(reader.raw());
    const named = { number: header.number, hash: bytesToHex(blockHash(header)), field: "transactions" };
    const transactionIndex = firstUnreadable(reader.raw());
    return transactionIndex === undefined ? named : { ...named, transactionIndex };
  } catch {
    return { field: "header" };
  }
}

/** Index of the first transaction that cannot be decoded; undefined if all of them can. */
function firstUnreadable(list: Uint8Array): number | undefined {
  const { from, end } = readHeader(list, 0, list.length, true);
  const payload = list.subarray(from, end);
  let index = 0;
  try {
    for (let at = 0; at < payload.length; index++) at = readTransaction(payload, at).end;
    return undefined;
  } catch {
    return index;
  }
}

/**
 * The encodings of blocks `first` to `last`, inclusive. Concatenated, they form a chain file.
 * @param onBlock - called with the number of each block before it is read
 * @throws ChainError `OUT_OF_RANGE`, immediately
 */
export function exportBlocks(
  chain: Pick<Chain, "block" | "head">,
  first: bigint,
  last: bigint,
  onBlock?: (number: bigint) => void,
): Generator<Uint8Array, undefined> {
  if (first > last) {
    throw new ChainError("OUT_OF_RANGE", `export failed: first (${first}) is greater than last (${last})`);
  }
  const beyond = chain.head.header.number + 1n;
  if (last >= beyond) throw notFound(first > beyond ? first : beyond);
  return encodings(chain, first, last, onBlock);
}

function* encodings(
  chain: Pick<Chain, "block">,
  first: bigint,
  last: bigint,
  onBlock: ((number: bigint) => void) | undefined,
): Generator<Uint8Array, undefined> {
  for (let number = first; number <= last; number++) {
    onBlock?.(number);
    const block = chain.block(number);
    if (block === undefined) throw notFound(number);
    yield encodeBlock(block);
  }
}

function notFound(number: bigint): ChainError {
  return new ChainError("OUT_OF_RANGE", `export failed on #${number}: not found`, { number });
}
