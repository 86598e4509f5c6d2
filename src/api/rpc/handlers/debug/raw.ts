import { encodeBlock } from "../../../../protocol/block/block-codec.ts";
import { encodeHeader } from "../../../../protocol/block/header-codec.ts";
import type { Receipt } from "../../../../protocol/block/receipt.ts";
import { encodeReceipt } from "../../../../protocol/block/receipt-codec.ts";
import type { Hash } from "../../../../protocol/primitives/bytes.ts";
import type { debugRaw } from "../../spec/debug/raw.ts";
import type { Handlers } from "../../spec/method.ts";
import type { BlockRef } from "../../spec/values/block-ref.ts";
import type { ChainReader, LocatedBlock } from "../chain/chain-reader.ts";

/** Blocks and transactions in their encoded form. @param rawTransaction - finds one in the chain or the pool by hash */
export function debugRawHandlers(
  reader: ChainReader,
  rawTransaction: (hash: Hash) => Uint8Array,
): Handlers<typeof debugRaw> {
  const withBlock = <T>(ref: BlockRef, use: (found: LocatedBlock) => T) =>
    ref.number === "pending"
      ? reader.withBlock(ref.number, (found) => use(found as LocatedBlock))
      : use(reader.requireBlock(ref));
  return {
    getRawHeader: ({ block }) => withBlock(block, ({ header }) => encodeHeader(header)),
    getRawBlock: ({ block }) => withBlock(block, (found) => encodeBlock(found.block)),
    getRawReceipts: ({ block }) =>
      withBlock(block, (found) => receiptsOf(reader, found).map((receipt) => encodeReceipt(receipt))),
    getRawTransaction: ({ hash }) => rawTransaction(hash),
  };
}

function receiptsOf({ chain }: ChainReader, { header, pendingReceipts }: LocatedBlock): readonly Receipt[] {
  return pendingReceipts ?? chain.receipts(header.number) ?? [];
}
