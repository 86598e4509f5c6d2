import { type Pace, runPaced } from "../../../../platform/runtime/turns/pace.ts";
import { hasCode } from "../../../../protocol/account/account.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { type Address, EMPTY_BYTES, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { MAX_UINT64 } from "../../../../protocol/primitives/integers.ts";
import { listText } from "../../engine/text/list-text.ts";
import type { LocatedReceipt } from "../../render/receipt.ts";
import { paidGasPrice } from "../../render/transaction.ts";
import type { HeavyReads } from "../../services/heavy-reads.ts";
import {
  type erigon,
  MAX_PAGE_SIZE,
  OTTERSCAN_LEVEL,
  type otterscan,
} from "../../spec/explorer/otterscan.ts";
import type { CallContext, Handlers } from "../../spec/method.ts";
import { LATEST_BLOCK } from "../../spec/values/block-ref.ts";
import type { ChainReader, LocatedBlock } from "../chain/chain-reader.ts";
import { locateReceipts, type NamespaceView } from "../chain/views.ts";
import { type FlatTraceSources, FlatTraces } from "../debug/traces/flat-trace-lists.ts";
import { callerOf } from "../debug/traces/trace-plan.ts";
import { explorerView } from "./explorer-view.ts";
import { internalOperations, traceEntries } from "./internal-operations.ts";
import { TransactionSearch } from "./transaction-search.ts";

/** What Otterscan's methods read. */
export interface OtterscanDeps extends FlatTraceSources {
  readonly reads: HeavyReads;
  /** Of `eth_`. */
  readonly view: NamespaceView;
  /** Amount minted by a block, in kei. */
  readonly minted: (number: bigint) => bigint;
}

/** Characters of an input up to the end of its function selector. */
const SELECTOR = "0x".length + 8;

/** Methods that Otterscan calls besides `eth_`. */
export function otterscanHandlers(deps: OtterscanDeps): Handlers<typeof otterscan> {
  const { reader, reads } = deps;
  const { chain } = reader;
  const view = explorerView(deps.view);
  const traces = new FlatTraces(deps);
  const search = new TransactionSearch({ reader, traces, reads, view });

  const replayed = (hash: Hash, context: CallContext) =>
    reads.run(context, (pace) => traces.replayed(hash, callerOf(context, traces.limits), pace));
  const receiptsOf = (located: LocatedBlock): readonly LocatedReceipt[] =>
    locateReceipts(located, chain.receipts(located.header.number) ?? [], chain.config.chainId);
  const details = (located: LocatedBlock | undefined): Json => {
    if (located === undefined) return null;
    const fees = receiptsOf(located).reduce((sum, one) => sum + one.receipt.gasUsed * paidGasPrice(one), 0n);
    const minted = quantity(deps.minted(located.header.number));
    const issuance = { blockReward: minted, uncleReward: "0x0", issuance: minted };
    return { block: view.block(located), issuance, totalFees: quantity(fees) };
  };

  return {
    getApiLevel: () => OTTERSCAN_LEVEL,
    hasCode({ address, block = LATEST_BLOCK }) {
      const account = reader.stateAt(block).state.account(address);
      return account !== undefined && hasCode(account);
    },
    getBlockDetails: ({ number }) => details(reader.blockAt(number)),
    getBlockDetailsByHash: ({ hash }) => details(reader.blockWith(hash)),
    getBlockTransactions({ number, page, size }) {
      const located = reader.blockAt(number);
      if (located === undefined) return null;
      const shown = pageOf(receiptsOf(located), page, size);
      const transactions = shown.map((one) => shortened(view.transaction(one)));
      const receipts = shown.map((one) => ({ ...view.receipt(one), logs: null, logsBloom: null }));
      return { fullblock: { ...view.block(located), transactions }, receipts };
    },
    searchTransactionsBefore: (args, context) => search.before(args, context),
    searchTransactionsAfter: (args, context) => search.after(args, context),
    getTransactionBySenderAndNonce({ sender, nonce }) {
      if (nonce === MAX_UINT64) return null;
      const [place] = chain.sent(sender, { from: nonce, to: nonce + 1n });
      return (place && chain.transactionHashAt(place)) ?? null;
    },
    getContractCreator: ({ address }, context) =>
      reads.run(context, (pace) => creatorOf(address, { reader, traces, pace }, context)),
    getInternalOperations: ({ hash }, context) =>
      reads.run(context, async (pace, draft) => {
        const found = await traces.replayed(hash, callerOf(context, traces.limits), pace);
        return runPaced(pace, listText(internalOperations(found?.list ?? []), draft));
      }),
    traceTransaction: ({ hash }, context) =>
      reads.run(context, async (pace, draft) => {
        const found = await traces.replayed(hash, callerOf(context, traces.limits), pace);
        return found === undefined ? null : runPaced(pace, listText(traceEntries(found.list), draft));
      }),
    async getTransactionError({ hash }, context) {
      const [root] = (await replayed(hash, context))?.list ?? [];
      return root?.error === undefined ? EMPTY_BYTES : hexToBytes(root.result?.output ?? "0x");
    },
  };
}

/** Methods of Erigon that it calls. */
export function erigonHandlers(reader: ChainReader, view: NamespaceView): Handlers<typeof erigon> {
  return {
    getHeaderByNumber({ number }) {
      const context = reader.headerAt(number);
      return context === undefined ? null : view.header(context);
    },
  };
}

/** Page 0 has the last elements: Otterscan shows the newest first. */
function pageOf<T>(all: readonly T[], page: bigint, size: bigint): readonly T[] {
  const max = size > MAX_PAGE_SIZE ? MAX_PAGE_SIZE : size;
  const end = BigInt(all.length) - page * max;
  if (end <= 0n) return [];
  return all.slice(Number(end > max ? end - max : 0n), Number(end));
}

function shortened(transaction: { readonly [member: string]: Json }): Json {
  return { ...transaction, input: String(transaction["input"]).slice(0, SELECTOR) };
}

/**
 * Finds the block that created a contract by binary search, and executes its transactions again.
 * @throws RpcError -32000 where a state on the way is not available
 */
async function creatorOf(
  address: Address,
  {
    reader,
    traces,
    pace,
  }: { readonly reader: ChainReader; readonly traces: FlatTraces; readonly pace: Pace },
  context: CallContext,
): Promise<{ hash: Hash; creator: Address } | null> {
  const isThere = (number: bigint) => {
    const account = reader.stateAt({ number }).state.account(address);
    return account !== undefined && hasCode(account);
  };
  let [without, withCode] = [-1n, reader.chain.head.header.number];
  if (!isThere(withCode)) return null;
  while (withCode - without > 1n) {
    if (pace.isDue()) await pace.yield();
    const middle = (without + withCode) / 2n;
    if (isThere(middle)) withCode = middle;
    else without = middle;
  }
  if (withCode === 0n) return null;
  const wanted = bytesToHex(address);
  const { block } = reader.requireBlock({ number: withCode });
  for (const { transactionHash, list } of await traces.ofBlock(
    block,
    callerOf(context, traces.limits),
    pace,
  )) {
    const made = list.find(({ type, result }) => type === "create" && result?.address === wanted);
    if (made !== undefined)
      return { hash: hexToBytes(transactionHash), creator: hexToBytes(made.action.from ?? "0x") };
  }
  return null;
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}
