import { NO_NAMES } from "../../../api/artifacts/names.ts";
import { Registry } from "../../../api/rpc/engine/registry.ts";
import { dashboardNamespaces, dashboardSubscriptions } from "../../../api/rpc/spec/dashboard/dashboard.ts";
import type { FeePayerReport } from "../../../api/rpc/spec/dashboard/desk-wire.ts";
import type { ChainTransactionPool } from "../../../ledger/txpool/transaction-pool.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import { FORKS } from "../../../protocol/params/forks.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { OpenFeePayer } from "../../dev/fee-payer/open-fee-payer.ts";
import type { Instruments } from "../../instruments/create-instruments.ts";
import type { DashboardOptions, NodeOptions } from "../../node-options.ts";
import type { Peers } from "../../peers/peer-control.ts";
import type { Ledger } from "../../storage/ledger.ts";
import { VERSION } from "../../version.ts";
import type { SourceTraces } from "../artifacts/source-traces.ts";
import { addressOf, isLoopback } from "../endpoints/exposure.ts";
import type { Listeners } from "../endpoints/listeners.ts";
import type { NodeRpc } from "../endpoints/node-rpc.ts";
import { type DeskParts, deskMethods } from "./desk-methods.ts";
import { type Dashboard, MAX_BODY, MAX_CALLS, serveDashboard } from "./listener/serve-dashboard.ts";
import { type PageMethodParts, pageEvents, pageMethods } from "./methods.ts";
import type { LogRing } from "./samples/log-ring.ts";
import { LoopLag } from "./samples/loop-lag.ts";
import { Sampler } from "./samples/sampler.ts";

/** Offset of the dashboard's default port from that of JSON-RPC. */
const PORT_DISTANCE = 1_000;
/** Where JSON-RPC listens if requested without a port. */
const RPC_PORT = 8_551;
/** Subscriptions of one page. */
const MAX_SUBSCRIPTIONS = 8;

/** The parts of a node that its page shows. */
export interface DashboardNode {
  readonly options: NodeOptions;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly log: LogRing;
  readonly ledger: Ledger;
  readonly pool: Pick<ChainTransactionPool, "status" | "nonce" | "content">;
  readonly wallets: { readonly served: DeskParts["wallets"]; readonly keystore: DeskParts["keystore"] };
  /** The fee payer service, if any. */
  readonly feePayer: OpenFeePayer | undefined;
  readonly instruments: Instruments;
  readonly peers: Peers;
  readonly rpc: NodeRpc;
  readonly listeners: Pick<Listeners, "addresses">;
  readonly development: object | undefined;
  readonly artifacts: SourceTraces | undefined;
}

/**
 * Opens the page of a node.
 * @throws Error of `node:net` when the address is taken
 */
export async function openDashboard(node: DashboardNode): Promise<Dashboard> {
  const { options, rpc, logger, runtime } = node;
  const asked: Partial<DashboardOptions> = typeof options.dashboard === "object" ? options.dashboard : {};
  const host = await addressOf(asked.host ?? "127.0.0.1");
  const lag = new LoopLag();
  const sampler = createSampler(node, lag);
  const own = ownRegistry(methodParts(node, sampler), deskParts(node));
  const { registry, dispatcher } = rpc.methods;
  const server = dispatcher({ body: MAX_BODY, batchItems: MAX_CALLS, subscriptions: MAX_SUBSCRIPTIONS });
  const onFault = (error: unknown): void => logger.error("a request of the page failed", { error });
  const stop = (): void => {
    sampler.stop();
    lag.stop();
  };
  const open = (port: number) =>
    serveDashboard(
      { node: registry, own, server, runtime, onFault, stop: rpc.stopped },
      {
        ...{ host, port, hosts: asked.hosts ?? [] },
        isReadOnly: asked.readOnly ?? false,
        publicRead: asked.publicRead ?? false,
        isExposed: !isLoopback(host),
      },
    );
  try {
    const dashboard = await (asked.port === undefined
      ? openAnywhere(open, defaultPort(options))
      : open(asked.port));
    return {
      ...dashboard,
      close: () => {
        stop();
        return dashboard.close();
      },
    };
  } catch (error) {
    stop();
    throw error;
  }
}

/** If the system chooses the ports of JSON-RPC, it chooses that of the page too. */
function defaultPort({ http }: NodeOptions): number {
  const port = http === undefined ? 0 : (http.port ?? RPC_PORT);
  return port === 0 || port + PORT_DISTANCE > 65_535 ? 0 : port + PORT_DISTANCE;
}

/** A default port in use is replaced by another one; an explicit port is not. */
function openAnywhere(open: (port: number) => Promise<Dashboard>, port: number): Promise<Dashboard> {
  return open(port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    return open(0);
  });
}

function createSampler({ ledger, instruments, pool, peers, runtime }: DashboardNode, lag: LoopLag): Sampler {
  return new Sampler({
    ...{ chain: ledger.chain, metrics: instruments.metrics, runtime },
    pool: () => {
      const { pending, queued } = pool.status();
      return { pending, queued };
    },
    peers: () => countPeers(peers),
    database: () => {
      let [reads, writes] = [0, 0];
      for (const table of ledger.store.use().tables.values()) {
        reads += table.reads;
        writes += table.writes;
      }
      return { reads, writes };
    },
    caches: () => {
      const { header, body, receipts } = ledger.chain.cacheUsage;
      let [hits, misses] = [0, 0];
      for (const use of [header, body, receipts, ledger.store.use().accounts]) {
        hits += use.hits;
        misses += use.misses;
      }
      return { hits, misses };
    },
    loopDelay: () => lag.take(),
  });
}

function ownRegistry(parts: PageMethodParts, desk: DeskParts): Registry {
  return new Registry()
    .serve(dashboardNamespaces, { dashboard: pageMethods(parts), ...deskMethods(desk) })
    .addSubscriptions("dashboard", dashboardSubscriptions, pageEvents(parts));
}

function methodParts(node: DashboardNode, sampler: Sampler): PageMethodParts {
  const { artifacts, ledger, log, runtime, rpc, pool, peers } = node;
  const { chain, store } = ledger;
  return {
    ...{ chain, pool, log, sampler, timers: runtime.timers, reads: rpc.reads },
    metrics: node.instruments.metrics,
    names: () => artifacts?.names ?? NO_NAMES,
    refreshNames: async () => artifacts?.refresh(),
    stackTrace: async (hash) => artifacts?.stackTrace(hash) ?? [],
    request: (call) => rpc.methods.quietProvider.request(call),
    glance: () => ({
      version: VERSION,
      chainId: Number(chain.config.chainId),
      role: peers.role,
      isDevelopment: node.development !== undefined,
      forks: FORKS.flatMap((name) => {
        const block = chain.config.forks[name];
        return block === undefined ? [] : [{ name, block: Number(block) }];
      }),
      pending: pool.status().pending,
      queued: pool.status().queued,
      peers: countPeers(peers),
      databaseBytes: store.stats().storeBytes + store.stats().logBytes,
      heapBytes: process.memoryUsage().heapUsed,
      residentBytes: process.memoryUsage.rss(),
      uptimeMs: Math.round(node.instruments.uptime()),
      endpoints: node.listeners.addresses,
    }),
  };
}

function deskParts({ artifacts, ledger, rpc, pool, wallets, feePayer, options }: DashboardNode): DeskParts {
  return {
    ...{ chain: ledger.chain, pool, wallets: wallets.served, keystore: wallets.keystore, guard: rpc.guard },
    names: () => artifacts?.names ?? NO_NAMES,
    contractAt: (address) => artifacts?.contract(address),
    refreshNames: async () => artifacts?.refresh(),
    request: (call) => rpc.methods.quietProvider.request(call),
    feePayer: () => (feePayer === undefined ? null : feePayerReport(feePayer, options)),
  };
}

function feePayerReport({ url, account }: OpenFeePayer, { feePayer }: NodeOptions): FeePayerReport {
  const { dailyLimit, dailySenderLimit, dapps } = feePayer ?? {};
  return {
    ...{ url, account: bytesToHex(account) },
    dailyLimit: dailyLimit === undefined ? null : String(dailyLimit),
    dailySenderLimit: dailySenderLimit === undefined ? null : String(dailySenderLimit),
    dapps: dapps === undefined ? null : dapps.map(({ name }) => name.slice(0, 200)),
  };
}

function countPeers({ status }: Peers): number {
  return Object.values(status.peerCounts()).reduce((sum: number, count) => sum + Number(count), 0);
}
