import type { Chain } from "../../../../ledger/chain/chain.ts";
import { runPaced } from "../../../../platform/runtime/turns/pace.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { refused } from "../../engine/errors.ts";
import { ListedItem, listText, objectText } from "../../engine/text/list-text.ts";
import type { Caller, HeavyReads } from "../../services/heavy-reads.ts";
import type { blocks, uncles } from "../../spec/chain/blocks.ts";
import type { Handlers } from "../../spec/method.ts";
import type { BlockNumber } from "../../spec/values/block-ref.ts";
import type { JsonText } from "../../spec/values/json-text.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { type ChainReader, type LocatedBlock, noBlock, UNSEALED } from "./chain-reader.ts";
import { TextCache } from "./text-cache.ts";
import {
  contentBlock,
  locateReceipts,
  longReceipt,
  type NamespaceView,
  viewFrame,
  viewTransactions,
} from "./views.ts";

/** Blocks in the form of one namespace. @param reads - blocks with thousands of transactions are rendered in slices */
export function blockHandlers(
  reader: ChainReader,
  view: NamespaceView,
  reads: HeavyReads,
): Handlers<typeof blocks> {
  const { chain } = reader;
  const { chainId } = chain.config;
  const texts = new TextCache();

  function render(
    located: LocatedBlock,
    whole: boolean,
    caller: Caller,
    members: { readonly [key: string]: Json } = {},
  ): JsonText | Promise<JsonText> {
    const items = viewTransactions(view, located, chainId, whole);
    return reads.run(caller, (pace, draft) => {
      const frame = { ...viewFrame(view, located), ...members };
      return runPaced(pace, objectText({ object: frame, name: "transactions", items }, draft));
    });
  }

  /** The cached text of an immutable object. */
  function kept(key: string, make: () => JsonText | Promise<JsonText>): JsonText | Promise<JsonText> {
    const known = texts.get(key);
    if (known !== undefined) return known;
    const text = make();
    return text instanceof Promise ? text.then((made) => texts.keep(key, made)) : texts.keep(key, text);
  }

  function show(located: LocatedBlock, whole: boolean, caller: Caller): JsonText | Promise<JsonText> {
    return kept(`${whole}${bytesToHex(located.hash)}`, () => render(located, whole, caller));
  }

  function renderReceipts(located: LocatedBlock, caller: Caller): JsonText | Promise<JsonText> {
    return reads.run(caller, (pace, draft) =>
      runPaced(pace, listText(viewReceipts(chain, view, located), draft)),
    );
  }

  function showReceipts(located: LocatedBlock, caller: Caller): JsonText | Promise<JsonText> {
    return kept(`receipts${bytesToHex(located.hash)}`, () => renderReceipts(located, caller));
  }

  function missing(wanted: BlockNumber | Uint8Array): null {
    return view.missingIsNull ? null : noBlock(wanted);
  }

  return {
    blockNumber: () => chain.head.header.number,
    getBlockByNumber: ({ number, transactions }, context) =>
      reader.withBlock(number, (located): JsonText | null | Promise<JsonText> => {
        if (located === undefined) return missing(number);
        if (number !== "pending") return show(located, transactions, context);
        return render(located, transactions, context, UNSEALED);
      }),
    getBlockByHash({ hash, transactions }, context) {
      const located = reader.blockWith(hash);
      return located === undefined ? missing(hash) : show(located, transactions, context);
    },
    getHeaderByNumber({ number }) {
      // The chain namespace shows the hash of the header without its seals.
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
    getBlockTransactionCountByNumber: ({ number }) =>
      reader.withBlock(number, (located) => countOf(contentBlock(view, located, number))),
    getBlockTransactionCountByHash: ({ hash }) => countOf(contentBlock(view, reader.blockWith(hash), hash)),
    getBlockReceipts: ({ block }, context) =>
      block.number === "pending"
        ? reader.withBlock(block.number, (located) => renderReceipts(located as LocatedBlock, context))
        : showReceipts(reader.requireBlock(block), context),
  };
}

function countOf(located: LocatedBlock | undefined): bigint | null {
  return located === undefined ? null : BigInt(located.block.transactions.length);
}

/** The receipts of a block, rendered one by one. @throws RpcError -32000 when there are not as many as transactions */
function* viewReceipts(
  chain: Chain,
  view: NamespaceView,
  located: LocatedBlock,
): Generator<Json | ListedItem> {
  const receipts = located.shownReceipts ?? chain.receipts(located.header.number) ?? [];
  if (receipts.length !== located.block.transactions.length) {
    const hash = bytesToHex(located.hash);
    throw refused(`the size of transactions and receipts is different in the block (${hash})`);
  }
  for (const receipt of locateReceipts(located, receipts, chain.config.chainId)) {
    const long = longReceipt(view, receipt);
    yield long === undefined ? view.receipt(receipt) : new ListedItem(long);
  }
}

/** Uncles: Kaia has none. */
export function uncleHandlers(reader: ChainReader): Handlers<typeof uncles> {
  return {
    getUncleCountByBlockNumber: ({ number }) => (reader.headerAt(number) === undefined ? null : 0n),
    getUncleCountByBlockHash: ({ hash }) => (reader.chain.number(hash) === undefined ? null : 0n),
    getUncleByBlockNumberAndIndex: () => null,
    getUncleByBlockHashAndIndex: () => null,
  };
}
