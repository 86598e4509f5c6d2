import type { Names } from "../../api/artifacts/names.ts";
import { readTrace } from "../../api/artifacts/trace-frame.ts";
import { refused } from "../../api/rpc/engine/errors.ts";
import type { dashboardNamespaces, dashboardSubscriptions } from "../../api/rpc/spec/dashboard/dashboard.ts";
import type { BlockRow, HistoryPage, Overview, TransactionRow } from "../../api/rpc/spec/dashboard/wire.ts";
import type { Handlers, SubscriptionHandlers } from "../../api/rpc/spec/method.ts";
import type { Provider } from "../../api/rpc/transports/provider.ts";
import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { MAX_UINT64 } from "../../protocol/primitives/integers.ts";
import { feedHeads } from "./live.ts";
import type { LogRing } from "./log-ring.ts";
import { blockRow, shownBlock, transactionRow } from "./rows.ts";
import type { Sampler } from "./sampler.ts";
import { search } from "./search.ts";
import { traceTree } from "./trace-report.ts";
import { transactionReport } from "./transaction-report.ts";

/** Blocks that are looked through for one page of transactions. */
const MOST_LOOKED = 2_000;
/** Rows of the first sight. */
const FIRST_ROWS = 12;
const TRACER = { tracer: "executionTracer" };

/** What the dashboard's methods read. */
export interface PageMethodParts {
  readonly chain: Blockchain;
  readonly timers: Timers;
  readonly names: () => Names;
  /** Takes in what compilers have written since. */
  readonly refreshNames: () => Promise<void>;
  /** Lines of where in the source a transaction failed. */
  readonly stackTrace: (hash: Uint8Array) => Promise<readonly string[]>;
  /** Of the node's own methods, told to nobody. */
  readonly request: Provider["request"];
  readonly log: LogRing;
  readonly sampler: Sampler;
  /** All of the overview but the chain's part. */
  readonly glance: () => Omit<
    Overview,
    "height" | "baseFee" | "genesisHash" | "blocks" | "rows" | "methods" | "mayWrite"
  >;
}

type Own = (typeof dashboardNamespaces)["dashboard"]["dashboard"];

/** The methods of the dashboard's namespace. */
export function pageMethods(parts: PageMethodParts): Handlers<Own> {
  const { chain, names, request, sampler, log } = parts;
  const context = () => ({ chainId: chain.config.chainId, names: names() });
  const rowsOf = (number: bigint, from = 0): TransactionRow[] => {
    const shown = shownBlock(chain, number);
    if (shown === undefined) return [];
    return [...shown.block.transactions.keys()]
      .slice(from)
      .map((index) => transactionRow(shown, index, context()));
  };
  const blocks = ({ count, before }: { count: number; before?: number | undefined }) =>
    newestBlocks(chain, count, before);
  const transactions = ({
    count,
    before,
  }: {
    count: number;
    before?: number | undefined;
  }): TransactionRow[] => {
    const rows: TransactionRow[] = [];
    const first = newest(chain, before);
    const last = first > BigInt(MOST_LOOKED) ? first - BigInt(MOST_LOOKED) : 0n;
    for (let number = first; number >= last && rows.length < count; number--) {
      if ((chain.header(number)?.gasUsed ?? 0n) === 0n) continue;
      rows.push(...rowsOf(number).reverse());
    }
    return rows.slice(0, count);
  };
  return {
    overview: (_, { access }) => ({
      ...parts.glance(),
      height: Number(chain.head.header.number),
      baseFee: String(chain.nextBaseFee()),
      genesisHash: bytesToHex(chain.genesisHash),
      methods: [...access.methods.keys()],
      mayWrite: [...access.methods.values()].some(({ declaration }) => declaration.scope === "send"),
      blocks: blocks({ count: FIRST_ROWS }),
      rows: transactions({ count: FIRST_ROWS }),
    }),
    blocks,
    transactions,
    blockTransactions: ({ number, count, from }) => rowsOf(BigInt(number), from).slice(0, count),
    async transaction({ hash }) {
      await parts.refreshNames();
      return transactionReport(hash, { chain, names: names(), request });
    },
    async trace({ hash }) {
      if (chain.place(hash) === undefined) throw refused("only transactions of blocks have a trace");
      await parts.refreshNames();
      const trace = await request({ method: "debug_traceTransaction", params: [bytesToHex(hash), TRACER] });
      return { ...traceTree(readTrace(trace), names()), stack: await parts.stackTrace(hash) };
    },
    history: ({ address, count, before }) => history(chain, { address, count, before }, context()),
    search: ({ text }) => search(text, chain, names()),
    samples: () => sampler.samples,
    logLines: () => log.lines,
    touch: () => null,
  };
}

/** The events of the dashboard's stream. */
export function pageEvents(parts: PageMethodParts): SubscriptionHandlers<typeof dashboardSubscriptions> {
  const { chain, names, timers, sampler, log } = parts;
  return {
    live(_, emit) {
      const leaveHeads = feedHeads({ chain, names: names(), timers }, emit);
      const leaveSamples = sampler.onSample((sample) => emit({ kind: "sample", sample }));
      return () => {
        leaveHeads();
        leaveSamples();
      };
    },
    log: (_, emit) => log.onLine(emit),
  };
}

function newest(chain: Blockchain, before: number | undefined): bigint {
  const { number } = chain.head.header;
  return before === undefined || BigInt(before) > number ? number : BigInt(before) - 1n;
}

function newestBlocks(chain: Blockchain, count: number, before: number | undefined): BlockRow[] {
  const rows: BlockRow[] = [];
  for (let number = newest(chain, before); number >= 0n && rows.length < count; number--) {
    const [block, hash] = [chain.block(number), chain.hash(number)];
    if (block === undefined || hash === undefined) break;
    rows.push(blockRow({ block, hash }));
  }
  return rows;
}

function history(
  chain: Blockchain,
  { address, count, before }: { address: Uint8Array; count: number; before: number | undefined },
  context: Parameters<typeof transactionRow>[2],
): HistoryPage {
  const rows: TransactionRow[] = [];
  let next: number | null = null;
  if (before === 0) return { rows, next };
  const to = before === undefined ? MAX_UINT64 : BigInt(before) - 1n;
  for (const { blockNumber, index } of chain.sent(address, { from: 0n, to, newestFirst: true })) {
    if (rows.length === count) break;
    const shown = shownBlock(chain, blockNumber);
    if (shown === undefined) break;
    rows.push(transactionRow(shown, index, context));
    const nonce = Number(shown.block.transactions[index]?.nonce ?? 0n);
    next = nonce > 0 ? nonce : null;
  }
  return { rows, next: rows.length === count ? next : null };
}
