import type { Rpc } from "../api/rpc/create-rpc.ts";
import { refused } from "../api/rpc/errors.ts";
import type {
  ListenerControl,
  ListenerControls,
  ListenRequest,
} from "../api/rpc/handlers/listener-control.ts";
import type { Listener } from "../api/rpc/transports/http/server.ts";
import type { Logger } from "../platform/telemetry/logger.ts";
import type { WalletManager } from "../wallet/wallet.ts";
import { isLoopback, unlockForbidden } from "./exposure.ts";
import type { ListenerOptions, NodeOptions } from "./node-options.ts";

/** Modules of a listener that the node was launched without. */
const HARMLESS_MODULES = ["eth", "kaia", "klay", "net", "web3"];
/** One module under several names. */
const CHAIN_NAMES = new Set(["chain", "klay", "kaia"]);
const DEFAULT_HTTP: ListenerOptions = { port: 8551, modules: HARMLESS_MODULES };
const DEFAULT_WS: ListenerOptions = { port: 8552, modules: HARMLESS_MODULES };

/** Where a node listens: `http://…`, `ws://…`, the path of the IPC socket. */
export interface Addresses {
  http?: string;
  ws?: string;
  ipc?: string;
}

export interface ListenerParts {
  readonly options: NodeOptions;
  readonly logger: Logger;
  readonly wallets: WalletManager;
}

/** The listeners of a node, as launched and as an operator changes them. */
export class Listeners implements ListenerControls {
  readonly addresses: Addresses = {};
  readonly http: ListenerControl;
  readonly ws: ListenerControl;
  readonly #rpc: () => Rpc;
  readonly #options: NodeOptions;
  readonly #logger: Logger;
  readonly #wallets: WalletManager;
  readonly #running: { http?: Listener; ws?: Listener; ipc?: Listener } = {};
  readonly #closing = new Set<Promise<void>>();
  /** Resolves when no stopped listener holds its port any more. */
  #freed: Promise<unknown> = Promise.resolve();

  /** @param rpc - asked when the first listener starts */
  constructor(rpc: () => Rpc, parts: ListenerParts) {
    this.#rpc = rpc;
    this.#options = parts.options;
    this.#logger = parts.logger;
    this.#wallets = parts.wallets;
    this.http = this.#control("http", "HTTP", (request) => this.#listenHttp(request));
    this.ws = this.#control("ws", "WebSocket", (request) => this.#listenWebSocket(request));
  }

  /** Starts what the options ask for. @param ipcPath - path of the socket, if there is to be one */
  async launch(ipcPath: string | undefined): Promise<void> {
    if (this.#options.http) await this.http.start({});
    if (this.#options.ws) await this.ws.start({});
    if (ipcPath === undefined) return;
    this.#running.ipc = await this.#rpc().listenIpc(ipcPath);
    this.addresses.ipc = ipcPath;
  }

  async close(): Promise<void> {
    const open = Object.values(this.#running) as Listener[];
    await this.#freed;
    await Promise.all([...open.map((listener) => listener.close()), ...this.#closing]);
  }

  /** Address of a listener that other machines reach, while there is one. */
  get exposed(): string | undefined {
    const { http, ws } = this.#running;
    return [http, ws].find((listener) => listener && !isLoopback(hostOf(listener.address)))?.address;
  }

  #control(
    kind: "http" | "ws",
    name: string,
    listen: (request: ListenRequest) => Promise<Listener>,
  ): ListenerControl {
    return {
      start: async (request) => {
        const running = this.#running[kind];
        if (running) throw refused(`${name} RPC already running on ${running.address}`);
        await this.#freed;
        const listener = await listen(request);
        this.#running[kind] = listener;
        this.addresses[kind] = `${kind}://${listener.address}`;
        if (this.#options.allowInsecureUnlock && !isLoopback(hostOf(listener.address)))
          this.#logger.warn("other machines reach this node, and accounts may be unlocked", {
            listener: listener.address,
          });
      },
      stop: () => {
        const running = this.#running[kind];
        if (running === undefined) throw refused(`${name} RPC not running`);
        delete this.#running[kind];
        delete this.addresses[kind];
        this.#freed = Promise.all([this.#freed, this.#closeSoon(running)]);
      },
    };
  }

  /** The answer to the call that stops a listener may have to leave through it first. */
  async #closeSoon(listener: Listener): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const closing = listener.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** Unlocked keys are not opened to strangers by a listener that comes later. */
  async #checkExposure({ host }: { readonly host: string }): Promise<void> {
    if (isLoopback(host) || this.#options.allowInsecureUnlock) return;
    const files = this.#wallets.wallets().filter(({ url }) => url.startsWith("keystore:"));
    const states = await Promise.all(files.map((wallet) => wallet.status()));
    if (states.some(({ status }) => status === "Unlocked"))
      throw refused(`accounts are unlocked; ${unlockForbidden(host)}`);
  }

  async #listenHttp(request: ListenRequest): Promise<Listener> {
    const { http = DEFAULT_HTTP, ws } = this.#options;
    await this.#checkExposure(place(http, request));
    const rules = this.#rules(http, request);
    const origins = request.origins ?? http.origins ?? [];
    const webSocketRules = ws?.modules ? { ...rules, modules: ws.modules } : rules;
    return this.#rpc().listenHttp({
      ...rules,
      ...place(http, request),
      cors: origins,
      hosts: request.virtualHosts ?? http.virtualHosts ?? ["localhost"],
      webSocket: { ...webSocketRules, origins: ws?.origins ?? origins },
    });
  }

  async #listenWebSocket(request: ListenRequest): Promise<Listener> {
    const { ws = DEFAULT_WS } = this.#options;
    await this.#checkExposure(place(ws, request));
    const origins = request.origins ?? ws.origins ?? [];
    return this.#rpc().listenWebSocket({ ...this.#rules(ws, request), ...place(ws, request), origins });
  }

  /** Nobody opens over RPC what was closed at launch: modules can only become fewer. */
  #rules({ modules: launched }: ListenerOptions, { modules: wanted }: ListenRequest) {
    const unsafe = this.#options.unsafeDebugDisabled !== true;
    const modules = wanted === undefined ? launched : allowed(wanted, launched);
    return { unsafe, ...(modules && { modules }) };
  }
}

function place(launched: ListenerOptions, { host, port }: ListenRequest): { host: string; port: number } {
  return { host: host ?? launched.host ?? "127.0.0.1", port: port ?? launched.port };
}

function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(":"));
}

function allowed(wanted: readonly string[], launched: readonly string[] | undefined): readonly string[] {
  if (launched === undefined) return wanted;
  const hasChain = launched.some((name) => CHAIN_NAMES.has(name));
  return wanted.filter((name) => launched.includes(name) || (hasChain && CHAIN_NAMES.has(name)));
}
