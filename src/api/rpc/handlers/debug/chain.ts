import { inspect } from "node:util";
import type { Blockchain } from "../../../../ledger/chain/blockchain.ts";
import type { BlockReplay } from "../../../../ledger/chain/execute/block-replay.ts";
import type { BadBlocks } from "../../../../ledger/chain/tables/bad-blocks.ts";
import { PinnedState } from "../../../../ledger/state/pinned-state.ts";
import type { StateStore } from "../../../../ledger/state/state.ts";
import type { Pace } from "../../../../platform/runtime/turns/pace.ts";
import { encodeBlock } from "../../../../protocol/block/block-codec.ts";
import type { Header } from "../../../../protocol/block/header.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { refused } from "../../engine/errors.ts";
import type { HeavyReads } from "../../services/heavy-reads.ts";
import type { debugChain } from "../../spec/debug/chain.ts";
import type { Handlers } from "../../spec/method.ts";
import { type BlockNumber, type BlockRef, unsignedNumber } from "../../spec/values/block-ref.ts";
import type { ChainReader, LocatedBlock } from "../chain/chain-reader.ts";
import { kaiaView, viewBlock } from "../chain/views.ts";
import { modifiedAccounts, modifiedSlots } from "./state/state-diff.ts";
import { dumpAccounts, dumpTrie } from "./state/state-dump.ts";
import { storageRange } from "./state/storage-range.ts";

/** What the reference can compact: everything, or the key ranges of one kind of data. */
const COMPACTION_PRESETS = new Set(["default", "allbutstate", "header", "body", "receipts", "custom"]);

/** What the methods on the chain read. */
export interface DebugChainDeps {
  readonly chain: Blockchain;
  readonly reader: ChainReader;
  readonly store: StateStore;
  readonly replay: BlockReplay;
  readonly badBlocks: () => BadBlocks;
  readonly reads: HeavyReads;
}

/** The chain and its state as the database has them. */
export function debugChainHandlers(deps: DebugChainDeps): Handlers<typeof debugChain> {
  const { chain, reader, store, reads } = deps;
  const located = (ref: BlockRef) => locate(reader, ref);
  const named = (ref: BlockRef) => ((ref.number ?? ref.hash) === undefined ? unnamed() : located(ref));
  const withBlock = <T>(ref: BlockRef, use: (found: LocatedBlock) => T) =>
    ref.number === "pending"
      ? reader.withBlock(ref.number, (found) => use(found as LocatedBlock))
      : use(named(ref));
  const pin = (header: Header, pace: Pace) => pinned({ chain, store }, header, pace);
  const range = (first: BlockNumber, last: BlockNumber | undefined) => numberedRange(reader, first, last);
  return {
    getBlockRlp: ({ block }) => withBlock(block, (found) => bytesToHex(encodeBlock(found.block)).slice(2)),
    printBlock: ({ block }) =>
      withBlock(block, (found) => inspect(readable(found, chain.config.chainId), { depth: null })),
    dumpBlock({ block }, context) {
      const { header } = located(block);
      return reads.run(context, (pace, draft) =>
        dumpAccounts(pin(header, pace), header.stateRoot, { pace, draft }),
      );
    },
    dumpStateTrie({ block }, context) {
      if ((block.number ?? block.hash) === undefined) throw refused("block # not found");
      const { header } = locate(reader, block, "block #");
      return reads.run(context, (pace, draft) =>
        dumpTrie(pin(header, pace), header.stateRoot, { pace, draft }),
      );
    },
    getBadBlocks: () => showBadBlocks(deps.badBlocks(), chain),
    getModifiedAccountsByNumber({ first, last }, context) {
      const [older, newer] = range(first, last);
      return reads.run(context, async (pace) => {
        const modified = await modifiedAccounts(pin(older, pace), pin(newer, pace));
        return modified.length === 0 ? null : modified;
      });
    },
    getModifiedAccountsByHash({ first, last }, context) {
      const [older, newer] = hashedRange(reader, first, last);
      return reads.run(context, async (pace) => {
        const modified = await modifiedAccounts(pin(older, pace), pin(newer, pace));
        return modified.length === 0 ? null : modified;
      });
    },
    getModifiedStorageNodesByNumber({ contract, first, last }, context) {
      const [older, newer] = range(first, last);
      return reads.run(context, (pace) => {
        const states = [pin(older, pace), pin(newer, pace)] as const;
        if (states.some(({ view }) => view.account(contract) === undefined))
          throw refused("there is no account corresponding to the given address");
        return modifiedSlots(...states, contract);
      });
    },
    async storageRangeAt({ blockHash, transactionIndex, contract, start, limit }, context) {
      const block = reader.blockWith(blockHash)?.block;
      if (block === undefined) throw refused(`block ${bare(blockHash)} not found`);
      const { state } = await deps.replay.before(block, transactionIndex);
      const parent = chain.header(block.header.number - 1n) as Header;
      return reads.run(context, (pace) =>
        storageRange({ state, parent: pin(parent, pace), contract, start, limit }),
      );
    },
    preimage({ hash }) {
      const [record] = store.latest().accounts(hash);
      if (record === undefined || !equalBytes(record.hash, hash)) throw refused("unknown preimage");
      return record.address;
    },
    async setHead({ number }) {
      if (typeof number === "string" || BigInt.asUintN(64, number) > chain.head.header.number)
        throw refused("Cannot rewind to future");
      await chain.exclusive(async () => {
        await chain.rewind(number);
        chain.announceRewind();
      });
      return null;
    },
    chaindbProperty: ({ property }) => inspect(property === "tables" ? store.tableSizes() : store.stats()),
    chaindbCompact({ ranges: { preset = "default", ranges = [] } = {} }) {
      if (preset === "custom" && ranges.length === 0) throw refused("no ranges provided for custom preset");
      if (!COMPACTION_PRESETS.has(preset)) throw refused(`unknown preset: ${preset}`);
      return null;
    },
  };
}

/** @param before - what precedes the block's name in the error text */
function locate(reader: ChainReader, ref: BlockRef, before = "block "): LocatedBlock {
  if (ref.number === undefined && ref.hash === undefined)
    throw refused("invalid arguments; neither block nor hash specified");
  const found = ref.number === undefined ? reader.blockWith(ref.hash as Hash) : reader.blockAt(ref.number);
  if (found !== undefined) return found;
  const name = ref.number === undefined ? bytesToHex(ref.hash as Hash) : `#${ref.number}`;
  throw refused(`${before}${name} not found`);
}

/** The reference leaves the name of a missing block empty here. */
function unnamed(): never {
  throw refused("block  not found");
}

/** @throws StateError `STATE_PRUNED` */
function pinned(
  { chain, store }: Pick<DebugChainDeps, "chain" | "store">,
  { number }: Header,
  pace: Pace,
): PinnedState {
  const hash = chain.hash(number) as Hash;
  const isCanonical = () => {
    const now = chain.hash(number);
    return now !== undefined && equalBytes(now, hash);
  };
  return new PinnedState(store, { number, isCanonical }, pace);
}

/** The headers before and after the changes. One number alone stands for the block with the changes. */
function numberedRange(
  reader: ChainReader,
  first: BlockNumber,
  last: BlockNumber | undefined,
): readonly [Header, Header] {
  const start = reader.headerAt(first)?.header;
  if (start === undefined) throw refused(`start block number #${unsignedNumber(first)} not found`);
  if (last === undefined) return [parentOf(reader, start, `block number #${first} has no parent`), start];
  const end = reader.headerAt(last)?.header;
  if (end === undefined) throw refused(`end block number #${unsignedNumber(last)} not found`);
  if (start.number < end.number) return [start, end];
  throw refused(`start block height (${start.number}) must be less than end block height (${end.number})`);
}

function hashedRange(reader: ChainReader, first: Hash, last: Hash | undefined): readonly [Header, Header] {
  const start = reader.blockWith(first)?.header;
  if (start === undefined) throw refused(`start block ${bare(first)} not found`);
  if (last === undefined) return [parentOf(reader, start, `block ${bare(first)} has no parent`), start];
  const end = reader.blockWith(last)?.header;
  if (end === undefined) throw refused(`end block ${bare(last)} not found`);
  return [start, end];
}

function parentOf(reader: ChainReader, { number }: Header, missing: string): Header {
  const parent = number === 0n ? undefined : reader.headerAt(number - 1n);
  if (parent === undefined) throw refused(missing);
  return parent.header;
}

function readable(located: LocatedBlock, chainId: bigint): Json {
  return viewBlock(kaiaView, located, chainId, true) as Json;
}

function showBadBlocks(badBlocks: BadBlocks, chain: Blockchain): Json[] {
  const bad = badBlocks.list();
  if (bad.length === 0) throw refused("data is not found with the given key");
  return bad.map(({ hash, block, reason }) => {
    const { header } = block;
    const located = { header, hash, block, rules: chain.rulesAt(header.number) };
    return {
      hash: bytesToHex(hash),
      block: readable(located, chain.config.chainId),
      rlp: bytesToHex(encodeBlock(block)),
      reason,
    };
  });
}

function bare(bytes: Uint8Array): string {
  return bytesToHex(bytes).slice(2);
}
