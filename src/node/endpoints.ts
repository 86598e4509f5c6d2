import { join } from "node:path";
import { addAdmin } from "../api/rpc/add-admin.ts";
import { addConsensus } from "../api/rpc/add-consensus.ts";
import { addDebug } from "../api/rpc/add-debug.ts";
import { addDev } from "../api/rpc/add-dev.ts";
import { createRegistry } from "../api/rpc/create-registry.ts";
import { createRpc, type Rpc } from "../api/rpc/create-rpc.ts";
import type { ScriptRunner } from "../api/rpc/handlers/debug/script-traces.ts";
import type { DevControls } from "../api/rpc/handlers/dev/dev-controls.ts";
import { type MinerControls, minerHandlers } from "../api/rpc/handlers/miner.ts";
import type { KeyGuard } from "../api/rpc/handlers/personal.ts";
import type { Registry } from "../api/rpc/registry.ts";
import { miner } from "../api/rpc/spec/miner.ts";
import type { Provider } from "../api/rpc/transports/provider.ts";
import { searchLogs } from "../ledger/chain/logs/log-search.ts";
import type { PendingBlocks } from "../ledger/chain/pending.ts";
import type { Gasless } from "../ledger/extensions/gasless/gasless.ts";
import { SupplyHistory } from "../ledger/extensions/supply/supply-history.ts";
import type { TransactionPool } from "../ledger/txpool/pool.ts";
import { systemRuntime } from "../platform/runtime/system.ts";
import type { Logger } from "../platform/telemetry/logger.ts";
import type { WalletManager } from "../wallet/wallet.ts";
import { chainFiles } from "./chain-files.ts";
import type { Forking } from "./dev/fork/forking.ts";
import { dialectOf } from "./dialect.ts";
import type { Instruments } from "./instruments/create-instruments.ts";
import { createKeyGuard } from "./key-guard.ts";
import type { Ledger } from "./ledger.ts";
import { Listeners } from "./listeners.ts";
import { type NodeIdentity, nodeAddressOf, noPeers } from "./node-identity.ts";
import type { NodeOptions } from "./node-options.ts";

/** How a running node is reached. */
export interface Endpoints {
  readonly provider: Provider;
  readonly addresses: { readonly http?: string; readonly ws?: string; readonly ipc?: string };
  close(): Promise<void>;
}

export interface EndpointParts {
  readonly options: NodeOptions;
  readonly ledger: Ledger;
  readonly pool: TransactionPool;
  /** Absent on a node that makes no blocks. */
  readonly pending: PendingBlocks | undefined;
  readonly wallets: WalletManager;
  readonly instruments: Instruments;
  readonly identity: NodeIdentity;
  readonly gasless: Gasless;
  readonly scripts: ScriptRunner;
  readonly logger: Logger;
  /** Present on a node that makes blocks. */
  readonly miner: MinerControls | undefined;
  /** Present on a development chain. */
  readonly forking?: Forking | undefined;
  /** Present on a development chain. */
  readonly controls?: DevControls | undefined;
}

/** Serves the node's methods in the process and on the listeners that the options ask for. */
export async function openEndpoints(parts: EndpointParts): Promise<Endpoints> {
  const { options, logger } = parts;
  const stopped = new AbortController();
  const log = logger.child("rpc");
  const onDefect = (method: string, error: unknown) => log.error("a method failed", { method, error });
  const guard = createKeyGuard({
    runtime: options.runtime ?? systemRuntime,
    logger: log,
    failures: parts.instruments.wrongPassphrases,
    exposed: () => listeners.exposed,
    allowInsecureUnlock: options.allowInsecureUnlock ?? false,
  });
  const registry = fillRegistry(parts, guard, onDefect);
  const { controls, pool } = parts;
  if (controls) addDev(registry, { controls, pool, request: (call) => rpc.provider.request(call) });
  const listeners = new Listeners(() => rpc, { options, logger: log, wallets: parts.wallets });
  const { ledger, identity } = parts;
  addAdmin(registry, {
    listeners,
    peers: noPeers(identity, ledger.chain),
    files: chainFiles(ledger),
    dataDir: options.dataDir ?? "",
    head: () => ledger.chain.head.header.number,
    limitSubscriptions: (most) => rpc.limitSubscriptions(most),
  });
  const rpc: Rpc = createRpc(registry, stopped.signal, onDefect, {
    counts: parts.instruments.calls,
    limits: options.rpcLimits,
    around: parts.forking && (() => parts.forking?.around),
  });
  const close = async (): Promise<void> => {
    stopped.abort();
    guard.damping.close();
    await listeners.close();
  };
  try {
    await listeners.launch(ipcPath(options));
  } catch (error) {
    await close();
    throw error;
  }
  return { provider: rpc.provider, addresses: listeners.addresses, close };
}

function fillRegistry(
  parts: EndpointParts,
  guard: KeyGuard,
  onDefect: (method: string, error: unknown) => void,
): Registry {
  const { options, ledger, pool, pending, wallets, instruments, identity, forking } = parts;
  const { runtime = systemRuntime } = options;
  const { chain, evm, processor, importer } = ledger;
  const calls = { gasCap: options.gasCap ?? 0n, timeoutMs: options.evmTimeoutMs ?? 5000 };
  const now = () => runtime.clock.now();
  const registry = createRegistry({
    chain,
    pool,
    pending,
    wallets,
    evm,
    network: { listening: true, peerCounts: () => ({}) },
    sync: { progress: () => undefined, onChange: () => () => {} },
    searchLogs: (filter, from, to) => {
      const first = forking?.firstNumber ?? 0n;
      const isHere = from >= first;
      return searchLogs(chain, filter, isHere ? from : first, to);
    },
    calls,
    networkId: identity.networkId,
    dialect: dialectOf(options),
    clientVersion: identity.name,
    ...{ now, guard },
  });
  addConsensus(registry, {
    ...{ chain, pending, extensions: ledger.extensions },
    nodeAddress: nodeAddressOf(identity),
    rewardbase: () => parts.miner?.rewardbase ?? options.rewardbase,
    senderIndex: options.senderTxHashIndexing ?? true,
    supply: new SupplyHistory({
      ...{ chain, store: ledger.store },
      pause: () => new Promise((resolve) => runtime.timers.schedule(0, resolve)),
    }),
  });
  registry.mount("miner", miner, minerHandlers(parts.miner));
  return addDebug(registry, {
    ...{ chain, processor, pending, evm, calls, now, scripts: parts.scripts, onDefect },
    gasless: parts.controls || parts.gasless.lends ? parts.gasless : undefined,
    badBlocks: () => importer.badBlocks,
    runtime: instruments,
    ...(options.unsafeDebugDisabled && { traceLimit: options.heavyDebugLimit ?? 500 }),
  });
}

function ipcPath({ ipc, dataDir }: NodeOptions): string | undefined {
  if (typeof ipc === "string") return ipc;
  if (ipc !== true || dataDir === undefined) return undefined;
  return process.platform === "win32" ? "\\\\.\\pipe\\klay.ipc" : join(dataDir, "klay.ipc");
}
