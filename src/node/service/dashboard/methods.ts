import type { Names } from "../../../api/artifacts/names.ts";
import { readTrace } from "../../../api/artifacts/trace-frame.ts";
import { refused } from "../../../api/rpc/engine/errors.ts";
import type { HeavyReads } from "../../../api/rpc/services/heavy-reads.ts";
import type {
  dashboardNamespaces,
  dashboardSubscriptions,
} from "../../../api/rpc/spec/dashboard/dashboard.ts";
import type { BlockRow, Overview } from "../../../api/rpc/spec/dashboard/wire.ts";
import type { CallContext, Handlers, SubscriptionHandlers } from "../../../api/rpc/spec/method.ts";
import type { Provider } from "../../../api/rpc/transports/provider.ts";
import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import type { Timers } from "../../../platform/runtime/runtime.ts";
import type { Metrics } from "../../../platform/telemetry/metrics.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { feedHeads } from "./reports/live.ts";
import { poolReport } from "./reports/pool-report.ts";
import { blockRow } from "./reports/rows.ts";
import { search } from "./reports/search.ts";
import { traceTree } from "./reports/trace-report.ts";
import { newestNumber, type Page, TransactionLists } from "./reports/transaction-lists.ts";
import { transactionReport } from "./reports/transaction-report.ts";
import { callTimes } from "./samples/call-times.ts";
import type { LogRing } from "./samples/log-ring.ts";
import type { Sampler } from "./samples/sampler.ts";

/** Rows of the initial view. */
const FIRST_ROWS = 12;
const LOG = "dashboard_logLines";
const TRACER = { tracer: "executionTracer" };

/** Dependencies of the dashboard's methods. */
export interface PageMethodParts {
  readonly chain: Blockchain;
  readonly pool: Pick<TransactionPool, "content">;
  readonly timers: Timers;
  readonly names: () => Names;
  /** Reloads artifacts that compilers have written since. */
  readonly refreshNames: () => Promise<void>;
  /** Source locations of a transaction's failure. */
  readonly stackTrace: (hash: Uint8Array) => Promise<readonly string[]>;
  /** Of the node's own methods; not reported to watchers. */
  readonly request: Provider["request"];
  readonly log: LogRing;
  readonly sampler: Sampler;
  readonly metrics: Pick<Metrics, "readings">;
  /** Shared with the node's methods. */
  readonly reads: HeavyReads;
  /** The overview without the chain's part. */
  readonly glance: () => Omit<
    Overview,
    "height" | "baseFee" | "genesisHash" | "blocks" | "rows" | "methods" | "mayWrite"
  >;
}

type Own = (typeof dashboardNamespaces)["dashboard"]["dashboard"];

/** The methods of the dashboard's namespace. */
export function pageMethods(parts: PageMethodParts): Handlers<Own> {
  const { chain, names, reads, request, sampler, log } = parts;
  const context = () => ({ chainId: chain.config.chainId, names: names() });
  const blocks = ({ count, before }: Page) => newestBlocks(chain, count, before);
  const lists = new TransactionLists(chain, context);
  /** The socket's path names a folder of this machine; who may not read the log does not see it either. */
  const glance = ({ access }: Pick<CallContext, "access">) => {
    const { endpoints, ...rest } = parts.glance();
    const { ipc, ...ports } = endpoints;
    return { ...rest, endpoints: access.methods.has(LOG) ? endpoints : ports };
  };
  return {
    overview: async (_, caller) => ({
      ...glance(caller),
      height: Number(chain.head.header.number),
      baseFee: String(chain.nextBaseFee()),
      genesisHash: bytesToHex(chain.genesisHash),
      methods: [...caller.access.methods.keys()],
      mayWrite: [...caller.access.methods.values()].some(({ declaration }) => declaration.scope === "send"),
      blocks: blocks({ count: FIRST_ROWS }),
      rows: await reads.run(caller, (pace) => lists.newest({ count: FIRST_ROWS }, pace)),
    }),
    blocks,
    transactions: (page, caller) => reads.run(caller, (pace) => lists.newest(page, pace)),
    blockTransactions: (part, caller) => reads.run(caller, (pace) => lists.ofBlock(part, pace)),
    async transaction({ hash }) {
      await parts.refreshNames();
      return transactionReport(hash, { chain, names: names(), request });
    },
    async trace({ hash }) {
      if (chain.locate(hash) === undefined) throw refused("only transactions of blocks have a trace");
      await parts.refreshNames();
      const trace = await request({ method: "debug_traceTransaction", params: [bytesToHex(hash), TRACER] });
      return { ...traceTree(readTrace(trace), names()), stack: await parts.stackTrace(hash) };
    },
    history: (page, caller) => reads.run(caller, (pace) => lists.ofSender(page, pace)),
    pool: (_, caller) => reads.run(caller, (pace) => poolReport(parts.pool.content(), chain, pace)),
    search: ({ text }) => search(text, chain, names()),
    samples: () => sampler.samples,
    callTimes: () => callTimes(parts.metrics),
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

function newestBlocks(chain: Blockchain, count: number, before: number | undefined): BlockRow[] {
  const rows: BlockRow[] = [];
  for (let number = newestNumber(chain, before); number >= 0n && rows.length < count; number--) {
    const [block, hash] = [chain.block(number), chain.hash(number)];
    if (block === undefined || hash === undefined) break;
    rows.push(blockRow({ block, hash }));
  }
  return rows;
}
