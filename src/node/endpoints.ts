import { join } from "node:path";
import { addDebug } from "../api/rpc/add-debug.ts";
import { addDev } from "../api/rpc/add-dev.ts";
import { createRegistry } from "../api/rpc/create-registry.ts";
import { createRpc, type Rpc } from "../api/rpc/create-rpc.ts";
import type { DevControls } from "../api/rpc/handlers/dev/dev-controls.ts";
import type { Registry } from "../api/rpc/registry.ts";
import type { Listener } from "../api/rpc/transports/http/server.ts";
import type { Provider } from "../api/rpc/transports/provider.ts";
import { searchLogs } from "../ledger/chain/log-search.ts";
import type { TransactionPool } from "../ledger/txpool/pool.ts";
import { systemRuntime } from "../platform/runtime/system.ts";
import type { Logger } from "../platform/telemetry/logger.ts";
import type { WalletManager } from "../wallet/wallet.ts";
import { dialectOf } from "./dialect.ts";
import type { Instruments } from "./instruments.ts";
import type { Ledger } from "./ledger.ts";
import type { ListenerOptions, NodeOptions } from "./node-options.ts";
import { clientVersion, devClientVersion } from "./version.ts";

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
  readonly wallets: WalletManager;
  readonly instruments: Instruments;
  readonly logger: Logger;
  /** Present on a development chain. */
  readonly controls?: DevControls | undefined;
}

/** Serves the node's methods in the process and on the listeners that the options ask for. */
export async function openEndpoints(parts: EndpointParts): Promise<Endpoints> {
  const { options, logger } = parts;
  const stopped = new AbortController();
  const log = logger.child("rpc");
  const onDefect = (method: string, error: unknown) => log.error("a method failed", { method, error });
  const registry = fillRegistry(parts);
  const { controls, pool } = parts;
  if (controls) addDev(registry, { controls, pool, request: (call) => rpc.provider.request(call) });
  const rpc: Rpc = createRpc(registry, stopped.signal, onDefect, parts.instruments.calls);
  const listeners: Listener[] = [];
  const addresses: { http?: string; ws?: string; ipc?: string } = {};
  const close = async (): Promise<void> => {
    stopped.abort();
    await Promise.all(listeners.map((listener) => listener.close()));
  };
  try {
    const unsafe = options.unsafeDebugDisabled !== true;
    if (options.http) addresses.http = `http://${await listenHttp(rpc, options, unsafe, listeners)}`;
    if (options.ws) addresses.ws = `ws://${await listenWebSocket(rpc, options.ws, unsafe, listeners)}`;
    const ipc = ipcPath(options);
    if (ipc !== undefined) {
      listeners.push(await rpc.listenIpc(ipc));
      addresses.ipc = ipc;
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { provider: rpc.provider, addresses, close };
}

function fillRegistry({ options, ledger, pool, wallets, instruments, controls }: EndpointParts): Registry {
  const { runtime = systemRuntime } = options;
  const { chain, evm, processor, importer } = ledger;
  const calls = { gasCap: options.gasCap ?? 0n, timeoutMs: options.evmTimeoutMs ?? 5000 };
  const now = () => runtime.clock.now();
  const registry = createRegistry({
    chain,
    pool,
    wallets,
    evm,
    network: { listening: true, peerCounts: () => ({}) },
    sync: { progress: () => undefined, onChange: () => () => {} },
    searchLogs: (filter, from, to) => searchLogs(chain, filter, from, to),
    calls,
    networkId: options.networkId ?? chain.config.chainId,
    dialect: dialectOf(options),
    clientVersion: controls ? devClientVersion() : clientVersion(),
    now,
  });
  return addDebug(registry, {
    ...{ chain, processor, evm, calls, now },
    badBlocks: () => importer.badBlocks,
    runtime: instruments,
    ...(options.unsafeDebugDisabled && { traceLimit: options.heavyDebugLimit ?? 500 }),
  });
}

async function listenHttp(
  rpc: Rpc,
  { http, ws }: NodeOptions,
  unsafe: boolean,
  listeners: Listener[],
): Promise<string> {
  const {
    host = "127.0.0.1",
    port,
    virtualHosts = ["localhost"],
    origins = [],
    modules,
  } = http as ListenerOptions;
  const rules = { unsafe, ...(modules && { modules }) };
  const wsRules = ws?.modules ? { unsafe, modules: ws.modules } : rules;
  const listener = await rpc.listenHttp({
    ...rules,
    host,
    port,
    cors: origins,
    hosts: virtualHosts,
    webSocket: { ...wsRules, origins: ws?.origins ?? origins },
  });
  listeners.push(listener);
  return listener.address;
}

async function listenWebSocket(
  rpc: Rpc,
  { host = "127.0.0.1", port, origins = [], modules }: ListenerOptions,
  unsafe: boolean,
  listeners: Listener[],
): Promise<string> {
  const listener = await rpc.listenWebSocket({ unsafe, host, port, origins, ...(modules && { modules }) });
  listeners.push(listener);
  return listener.address;
}

function ipcPath({ ipc, dataDir }: NodeOptions): string | undefined {
  if (typeof ipc === "string") return ipc;
  if (ipc !== true || dataDir === undefined) return undefined;
  return process.platform === "win32" ? "\\\\.\\pipe\\klay.ipc" : join(dataDir, "klay.ipc");
}
