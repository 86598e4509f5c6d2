import { createRegistry, type RegistryDeps } from "../../../api/rpc/create-registry.ts";
import { createRpc, type Rpc, type RpcOptions } from "../../../api/rpc/create-rpc.ts";
import type { Registry } from "../../../api/rpc/engine/registry.ts";
import type { CallLog, CallObserver, DefectListener } from "../../../api/rpc/engine/server-options.ts";
import type { KeyGuard } from "../../../api/rpc/handlers/accounts/key-guard.ts";
import type { DevControls } from "../../../api/rpc/handlers/dev/dev-controls.ts";
import type { DevDeps } from "../../../api/rpc/handlers/dev/dev-groups.ts";
import { Executor } from "../../../api/rpc/handlers/execution/executor.ts";
import type { JobThreads } from "../../../api/rpc/handlers/execution/job-threads.ts";
import type { SyncStatus } from "../../../api/rpc/handlers/fees/fees.ts";
import type { WideLogSearch } from "../../../api/rpc/handlers/logs/log-reader.ts";
import type { AdminDeps } from "../../../api/rpc/handlers/node/admin.ts";
import type { StreamControls } from "../../../api/rpc/handlers/node/chaindatafetcher.ts";
import type { MinerControls } from "../../../api/rpc/handlers/node/miner.ts";
import { BlockWait } from "../../../api/rpc/services/block-wait.ts";
import type { RpcBudget } from "../../../api/rpc/services/budget.ts";
import { HeavyReads } from "../../../api/rpc/services/heavy-reads.ts";
import { DEFAULT_LOG_LIMITS, DEFAULT_TRACE_LIMITS } from "../../../api/rpc/services/limits.ts";
import { RateLimit } from "../../../api/rpc/services/rate-limit.ts";
import type { Provider } from "../../../api/rpc/transports/provider.ts";
import { TokenCheck } from "../../../api/rpc/transports/token-check.ts";
import type { PendingBlocks } from "../../../ledger/chain/execute/pending.ts";
import { searchLogs } from "../../../ledger/chain/logs/log-search.ts";
import type { Gasless } from "../../../ledger/extensions/gasless/gasless.ts";
import { SupplyHistory } from "../../../ledger/extensions/supply/supply-history.ts";
import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import { watchedByMany } from "../../../platform/runtime/signals.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import type { SocketTaker } from "../../../platform/sockets/io-processes.ts";
import type { Logger, LogLevels } from "../../../platform/telemetry/logger.ts";
import type { WalletManager } from "../../../wallet/wallet.ts";
import type { Departures } from "../../departures.ts";
import type { Instruments } from "../../instruments/create-instruments.ts";
import { createKeyGuard } from "../../keys/key-guard.ts";
import { nodeAddressOf } from "../../keys/node-identity.ts";
import type { NodeOptions } from "../../node-options.ts";
import { limitOptions } from "../../options/service/limits.ts";
import type { Peers } from "../../peers/peer-control.ts";
import { chainFiles } from "../../storage/chain-files.ts";
import type { Ledger } from "../../storage/ledger.ts";
import type { SourceTraces } from "../artifacts/source-traces.ts";
import { dialectOf } from "./dialect.ts";
import type { NodeHealth } from "./health.ts";
import { Listeners } from "./listeners.ts";
import { openCertificate } from "./open-certificate.ts";
import { shownNodeConfig } from "./shown-node-config.ts";

/** Largest request that the reference node accepts, in bytes. */
const REFERENCE_BODY = 512 * 1024;

const { callSliceMs, evmTimeoutMs, gasCap, heavyDebugLimit } = limitOptions;

/** For a node without peers to download from. */
const NOT_SYNCHRONISING: SyncStatus = { progress: () => undefined, onChange: () => () => {} };

/** The methods of a running node. */
export interface NodeRpc {
  readonly provider: Provider;
  /** The same methods, for listeners of another kind. */
  readonly methods: Pick<Rpc, "registry" | "dispatcher" | "quietProvider" | "quietText">;
  /** Shares turns among the long reads of all listeners. */
  readonly reads: HeavyReads;
  /** Aborted when the node stops. */
  readonly stopped: AbortSignal;
  /** Slows down callers that guess passphrases, and wipes passphrases. */
  readonly guard: KeyGuard;
  /** Tells `admin_dashboardLink` how to make links, once the page is served. */
  serveLinks(link: () => string): void;
  /** HTTP, WebSocket and IPC, not opened yet. */
  readonly listeners: Listeners;
  /** Aborts every call that is still running, so that connections can be closed. */
  abortCalls(): void;
  close(): Promise<void>;
}

/** The parts of a node that its methods reach. */
export interface NodeRpcParts {
  readonly options: NodeOptions;
  readonly ledger: Ledger;
  readonly pool: TransactionPool;
  /** Absent on a node that seals no blocks. */
  readonly pending: PendingBlocks | undefined;
  readonly wallets: WalletManager;
  readonly instruments: Instruments;
  readonly peers: Peers;
  readonly gasless: Gasless;
  readonly threads: JobThreads;
  readonly logger: Logger;
  /** Observes every call while there are watchers. */
  readonly observer: CallObserver;
  /** Whether the node holds the keys of a development chain. */
  readonly hasDevelopmentKeys: boolean;
  /** Shared with the node's other listeners. */
  readonly budget: RpcBudget;
  readonly health: () => NodeHealth;
  /** Present if I/O processes serve the sockets of clients. */
  readonly takeSocket: SocketTaker | undefined;
  /** Present on a node that seals blocks. */
  readonly miner: MinerControls | undefined;
  /** Present on a development chain. */
  readonly departures: Pick<Departures, "firstNumber" | "interceptor"> | undefined;
  /** Present if failures can be explained. */
  readonly artifacts: SourceTraces | undefined;
  /** Present on a development chain. */
  readonly controls?: DevControls | undefined;
  /** Present if wide ranges of logs are searched in a database. */
  readonly wideLogs?: WideLogSearch | undefined;
  /** Present if the event stream is enabled. */
  readonly stream?: StreamControls | undefined;
  /** Present with a change log: throws while another node is the writer. */
  readonly mayChange?: (() => void) | undefined;
}

/** The methods of a node, callable within the process at once; no listener is open yet. */
export function createNodeRpc(parts: NodeRpcParts): NodeRpc {
  const { options, logger } = parts;
  const { runtime = systemRuntime } = options;
  const stopped = watchedByMany(new AbortController());
  const log = logger.child("rpc");
  const onDefect: DefectListener = (method, error, request) =>
    log.error("a method failed", { method, ...(request !== undefined && { request }), error });
  const guard = createKeyGuard({
    runtime,
    logger: log,
    failures: parts.instruments.wrongPassphrases,
    busy: parts.instruments.busyPassphrases,
    exposed: () => listeners.exposed,
    allowInsecureUnlock: options.allowInsecureUnlock ?? false,
    unlockMaxSeconds: options.unlockMaxSeconds,
  });
  const reads = new HeavyReads(parts.budget.slice, { unsent: parts.budget.unsent });
  const { wallets, ledger } = parts;
  const listeners = new Listeners(() => rpc, {
    ...{ options, logger: log, wallets },
    hasDevelopmentKeys: parts.hasDevelopmentKeys,
  });
  let newLink: (() => string) | undefined;
  const admin: AdminDeps = {
    listeners,
    dashboardLink: () => newLink?.(),
    peers: parts.peers.control,
    files: chainFiles(ledger, parts.instruments.dumps),
    dataDir: options.dataDir ?? "",
    head: () => ledger.chain.head.header.number,
    config: () => shownNodeConfig(options, parts.peers.identity.networkId, ledger.store.isArchive),
    limitSubscriptions: (most) => rpc.limitSubscriptions(most),
  };
  const configured = dialectOf(options, parts.controls !== undefined && options.compat === undefined);
  // A follower holds no keys.
  const isFollower = options.cluster?.role === "follower";
  const dialect = isFollower
    ? { ...configured, hiddenNamespaces: new Set([...configured.hiddenNamespaces, "personal"]) }
    : configured;
  const dev: DevDeps | undefined = parts.controls && {
    ...{ controls: parts.controls, wallets, guard, reads, chain: ledger.chain },
    messageName: dialect.messageName,
    throwsOnFailures: typeof options.dev === "object" && options.dev.throwOnTransactionFailures === true,
    timers: runtime.timers,
    request: (call) => rpc.provider.request(call),
  };
  const registry = fillRegistry(parts, { guard, reads, onDefect, dialect, admin, dev });
  const blocks = new BlockWait(ledger.chain, runtime.timers);
  stopped.signal.addEventListener("abort", () => blocks.close(), { once: true });
  const rpc: Rpc = createRpc(registry, stopped.signal, onDefect, {
    counts: parts.instruments.calls,
    observer: parts.observer,
    log: callLog(log, parts.instruments.levels),
    showsRequestIds: options.requestIds,
    limits: { ...(options.compat && { body: REFERENCE_BODY }), ...options.rpcLimits },
    budget: parts.budget,
    readiness: parts.health,
    blocks,
    maxConnections: options.sharedLimits?.connections,
    rate: options.rpcRate && new RateLimit(options.rpcRate, () => runtime.clock.elapsed()),
    takeSocket: parts.takeSocket,
    certificate: options.tls && openCertificate(options.tls, log),
    token: options.jwtSecret && new TokenCheck(options.jwtSecret, () => runtime.clock.now()),
    interceptor: interceptorOf(parts),
    quietInterceptor: () => parts.departures?.interceptor,
  });
  parts.artifacts?.connect((call) => rpc.quietProvider.request(call));
  return {
    provider: rpc.provider,
    methods: rpc,
    reads,
    guard,
    serveLinks(link) {
      newLink = link;
    },
    stopped: stopped.signal,
    listeners,
    abortCalls: () => stopped.abort(),
    async close() {
      stopped.abort();
      guard.close();
      await listeners.close();
    },
  };
}

/** Logs each answered call under the room `rpc`: failed ones at `debug`, all others at `trace`. */
function callLog(log: Logger, levels: LogLevels): CallLog {
  return {
    get isOn() {
      return levels.isOn("debug", "rpc");
    },
    answered: (call) => log[call.code === undefined ? "trace" : "debug"]("answered", { ...call }),
  };
}

/** What the registry needs besides the parts of the node. */
interface Shared extends Pick<RegistryDeps, "guard" | "reads" | "dialect" | "admin" | "dev"> {
  readonly onDefect: (method: string, error: unknown) => void;
}

function interceptorOf({ artifacts, departures }: NodeRpcParts): RpcOptions["interceptor"] {
  if (artifacts !== undefined) return (bound) => artifacts.around(departures?.interceptor, bound);
  return departures && (() => departures.interceptor);
}

function fillRegistry(parts: NodeRpcParts, { onDefect, ...shared }: Shared): Registry {
  const { options, ledger, pool, pending, wallets, instruments, departures } = parts;
  const { identity } = parts.peers;
  const { runtime = systemRuntime } = options;
  const { chain, evm, processor, importer } = ledger;
  const now = () => runtime.clock.elapsed();
  return createRegistry({
    ...shared,
    ...{ chain, pool, pending, wallets, evm, now },
    network: parts.peers.status,
    sync: parts.peers.synchroniser ?? NOT_SYNCHRONISING,
    wideLogs: parts.wideLogs,
    logLimits: { ...DEFAULT_LOG_LIMITS, ...options.logLimits },
    searchLogs: (filter, from, to) => {
      const first = departures?.firstNumber ?? 0n;
      const isHere = from >= first;
      return searchLogs(chain, filter, isHere ? from : first, to);
    },
    calls: {
      gasCap: options.gasCap ?? gasCap.default,
      timeoutMs: options.evmTimeoutMs ?? evmTimeoutMs.default,
    },
    executor: new Executor({
      ...{ chain, now, threads: parts.threads },
      sliceMs: options.callSliceMs ?? callSliceMs.default,
    }),
    networkId: identity.networkId,
    clientVersion: identity.name,
    budget: parts.budget,
    consensus: {
      ...{ chain, pending, extensions: ledger.extensions },
      nodeAddress: nodeAddressOf(identity),
      reads: shared.reads,
      rewardbase: () => parts.miner?.rewardbase ?? options.rewardbase,
      supply: new SupplyHistory({
        ...{ chain, store: ledger.store },
        pause: () => new Promise((resolve) => runtime.timers.schedule(0, resolve)),
      }),
    },
    miner: parts.miner,
    stream: parts.stream,
    mayChange: parts.mayChange,
    debug: {
      ...{ chain, processor, onDefect, runtime: instruments },
      gasless: parts.controls || parts.gasless.lends ? parts.gasless : undefined,
      badBlocks: () => importer.badBlocks,
      traceLimits: { ...DEFAULT_TRACE_LIMITS, ...options.traceLimits },
      ...(options.unsafeDebugDisabled && { traceLimit: options.heavyDebugLimit ?? heavyDebugLimit.default }),
    },
  });
}
