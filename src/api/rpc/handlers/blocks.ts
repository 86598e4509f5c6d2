import type { Chain } from "../../../ledger/chain/chain.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { refused } from "../engine/errors.ts";
import type { uncles } from "../spec/blocks.ts";
import type { Handlers } from "../spec/method.ts";
import type { ChainReader, LocatedBlock } from "./chain-reader.ts";
import { locateReceipts, type View } from "./views.ts";

function countOf(located: LocatedBlock | undefined): bigint | null {
  return located === undefined ? null : BigInt(located.block.transactions.length);
}

/** The receipts of a block, rendered one by one. @throws RpcError -32000 when there are not as many as transactions */
function* viewReceipts(chain: Chain, view: View, located: LocatedBlock): Generator<Json> {
  const receipts = located.shownReceipts ?? chain.receipts(located.header.number) ?? [];
  if (receipts.length !== located.block.transactions.length) {
    const hash = bytesToHex(located.hash);
    throw refused(`the size of transactions and receipts is different in the block (${hash})`);
  }
  for (const receipt of locateReceipts(located, receipts, chain.config.chainId)) yield view.receipt(receipt);
}

/** Uncles, of which there are none. */
export function uncleHandlers(reader: ChainReader): Handlers<typeof uncles> {
  return {
    getUncleCountByBlockNumber: ({ number }) => (reader.headerAt(number) === undefined ? null : 0n),
    getUncleCountByBlockHash: ({ hash }) => (reader.chain.number(hash) === undefined ? null : 0n),
    getUncleByBlockNumberAndIndex: () => null,
    getUncleByBlockHashAndIndex: () => null,
  };
}
