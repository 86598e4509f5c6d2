import type { Chain } from "../../../ledger/chain/chain.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { refused } from "../engine/errors.ts";
import type { BlockNumber } from "../spec/block-ref.ts";
import type { blocks, uncles } from "../spec/blocks.ts";
import type { Handlers } from "../spec/method.ts";
import type { WireObject } from "../spec/wire-types.ts";
import { type ChainReader, type LocatedBlock, noBlock, UNSEALED } from "./chain-reader.ts";
import { TextCache } from "./text-cache.ts";
import { locateReceipts, type View, viewBlock } from "./views.ts";

/** Blocks in the form of one namespace. */
export function blockHandlers(reader: ChainReader, view: View): Handlers<typeof blocks> {
  const { chain } = reader;
  const texts = new TextCache();

  function show(located: LocatedBlock, whole: boolean): WireObject {
    const key = `${whole}${bytesToHex(located.hash)}`;
    // A text in place of its object: the server passes it on as it is.
    return texts.get(key, () =>
      viewBlock(view, located, chain.config.chainId, whole),
    ) as unknown as WireObject;
  }

  function missing(wanted: BlockNumber | Uint8Array): null {
    return view.missingIsNull ? null : noBlock(wanted);
  }

  return {
    blockNumber: () => chain.head.header.number,
    getBlockByNumber: ({ number, transactions }) =>
      reader.withBlock(number, (located) => {
        if (located === undefined) return missing(number);
        if (number !== "pending") return show(located, transactions);
        return { ...viewBlock(view, located, chain.config.chainId, transactions), ...UNSEALED };
      }),
    getBlockByHash({ hash, transactions }) {
      const located = reader.blockWith(hash);
      return located === undefined ? missing(hash) : show(located, transactions);
    },
    getHeaderByNumber({ number }) {
      // The chain namespace shows the hash that a header without seals has.
      if (number === "pending")
        return reader.withBlock(number, (located): WireObject => {
          const header = view.header(located as LocatedBlock);
          return view.missingIsNull ? { ...header, ...UNSEALED } : header;
        });
      const context = reader.headerAt(number);
      if (context === undefined) {
        if (view.missingIsNull) return null;
        throw refused(`the header does not exist (block number: ${number})`);
      }
      return view.header(context);
    },
    getHeaderByHash({ hash }) {
      const number = chain.number(hash);
      const context = number === undefined ? undefined : reader.headerAt(number);
      if (context !== undefined) return view.header(context);
      if (view.missingIsNull) return null;
      throw refused(`the header does not exist (hash: ${bytesToHex(hash)})`);
    },
    getBlockTransactionCountByNumber: ({ number }) => reader.withBlock(number, countOf),
    getBlockTransactionCountByHash: ({ hash }) => countOf(reader.blockWith(hash)),
    getBlockReceipts: ({ block }) =>
      block.number === "pending"
        ? reader.withBlock(block.number, (located) => viewReceipts(chain, view, located as LocatedBlock))
        : viewReceipts(chain, view, reader.requireBlock(block)),
  };
}

function countOf(located: LocatedBlock | undefined): bigint | null {
  return located === undefined ? null : BigInt(located.block.transactions.length);
}

function viewReceipts(chain: Chain, view: View, located: LocatedBlock): { [key: string]: Json }[] {
  const receipts = located.shownReceipts ?? chain.receipts(located.header.number) ?? [];
  if (receipts.length !== located.block.transactions.length) {
    const hash = bytesToHex(located.hash);
    throw refused(`the size of transactions and receipts is different in the block (${hash})`);
  }
  return locateReceipts(located, receipts, chain.config.chainId).map(view.receipt);
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
