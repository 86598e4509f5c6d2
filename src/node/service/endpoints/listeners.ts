import type { Rpc } from "../../../api/rpc/create-rpc.ts";
import { refused } from "../../../api/rpc/engine/errors.ts";
import type { AccessRules } from "../../../api/rpc/engine/registry.ts";
import type {
  ListenerControl,
  ListenerControls,
  ListenRequest,
} from "../../../api/rpc/handlers/node/listener-control.ts";
import type { Listener } from "../../../platform/http/listener.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import type { WalletManager } from "../../../wallet/wallet.ts";
import type { ListenerOptions, NodeOptions } from "../../node-options.ts";
import { endpointOptions } from "../../options/service/endpoint.ts";
import {
  addressOf,
  dangersOf,
  isLoopback,
  launchedAs,
  refuseExposure,
  servedAs,
  unlockForbidden,
} from "./exposure.ts";
import { type NarrowedListener, narrowed } from "./narrowed.ts";

const { httpPort, wsPort } = endpointOptions;

/** Where a node listens: `http://…`, `ws://…`, the path of the IPC socket. */
export interface Addresses {
  http?: string;
  ws?: string;
  ipc?: string;
}

/** Dependencies of the listeners. */
export interface ListenerParts {
  readonly options: NodeOptions;
  readonly logger: Logger;
  readonly wallets: Pick<WalletManager, "wallets">;
  /** Whether the node holds the keys of a development chain. */
  readonly hasDevelopmentKeys: boolean;
}

/** The listeners of a node, as launched and as an operator changes them. */
export class Listeners implements ListenerControls {
  readonly addresses: Addresses = {};
  readonly http: ListenerControl;
  readonly ws: ListenerControl;
  readonly #rpc: () => Rpc;
  readonly #options: NodeOptions;
  readonly #logger: Logger;
  readonly #wallets: Pick<WalletManager, "wallets">;
  readonly #hasDevelopmentKeys: boolean;
  readonly #running: { http?: Listener; ws?: Listener; ipc?: Listener } = {};
  readonly #starting = new Set<"http" | "ws">();
  readonly #closing = new Set<Promise<void>>();
  /** Resolves when no stopped listener holds its port any more. */
  #freed: Promise<unknown> = Promise.resolve();

  /** @param rpc - asked when the first listener starts */
  constructor(rpc: () => Rpc, parts: ListenerParts) {
    this.#rpc = rpc;
    this.#options = parts.options;
    this.#logger = parts.logger;
    this.#wallets = parts.wallets;
    this.#hasDevelopmentKeys = parts.hasDevelopmentKeys;
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

  /** Address of a listener that other machines can reach, if any. */
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
        if (this.#starting.has(kind)) throw refused(`${name} RPC is being started`);
        this.#starting.add(kind);
        try {
          await this.#freed;
          const listener = await listen(request);
          this.#running[kind] = listener;
          this.addresses[kind] = `${this.#scheme(kind)}://${listener.address}`;
          this.#warn(kind, listener.address, request);
        } finally {
          this.#starting.delete(kind);
        }
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

  #scheme(kind: "http" | "ws"): string {
    return this.#options.tls ? `${kind}s` : kind;
  }

  /** Logs at each start what other machines can do. */
  #warn(kind: "http" | "ws", listener: string, { modules }: ListenRequest): void {
    if (isLoopback(hostOf(listener))) return;
    const unlocking = this.#options.allowInsecureUnlock ? ["accounts that are unlocked"] : [];
    const launched = servedAs(kind, this.#options);
    const open = [...this.#dangers(modules ? { modules } : launched), ...unlocking];
    if (open.length > 0)
      this.#logger.warn("other machines reach this node", {
        listener: `${this.#scheme(kind)}://${listener}`,
        open: open.join("; "),
      });
  }

  /** Closes a listener after the response to the call that stops it may have been sent through it. */
  async #closeSoon(listener: Listener): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const closing = listener.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** @throws RpcError -32000 if other machines would reach what they could not at launch */
  async #checkExposure(what: string, { host, ...served }: NarrowedListener): Promise<void> {
    const { allowExposed, allowInsecureUnlock } = this.#options;
    if (isLoopback(host) || allowExposed) return;
    refuseExposure(what, host, this.#dangers(served));
    if (allowInsecureUnlock) return;
    const files = this.#wallets.wallets().filter(({ url }) => url.startsWith("keystore:"));
    const states = await Promise.all(files.map((wallet) => wallet.status()));
    if (states.some(({ status }) => status === "Unlocked"))
      throw refused(`accounts are unlocked; ${unlockForbidden(host)}`);
  }

  #dangers(served: Pick<ListenerOptions, "modules">): readonly string[] {
    return dangersOf(served, this.#options, this.#hasDevelopmentKeys);
  }

  async #listenHttp(request: ListenRequest): Promise<Listener> {
    const { http, ws } = this.#options;
    const wanted = await this.#checked("HTTP", launchedAs(http, httpPort.default), request);
    const webSocketModules = ws?.modules ?? wanted.modules;
    return this.#rpc().listenHttp({
      ...this.#rules(wanted.modules),
      ...{ host: wanted.host, port: wanted.port },
      cors: wanted.origins,
      hosts: wanted.virtualHosts,
      webSocket: { ...this.#rules(webSocketModules), origins: ws?.origins ?? wanted.origins },
    });
  }

  async #listenWebSocket(request: ListenRequest): Promise<Listener> {
    const { http, ws } = this.#options;
    const launched = {
      ...launchedAs(ws, wsPort.default),
      ...(http?.virtualHosts && { virtualHosts: http.virtualHosts }),
    };
    const wanted = await this.#checked("WebSocket", launched, request);
    const { host, port, origins, virtualHosts: hosts } = wanted;
    return this.#rpc().listenWebSocket({ ...this.#rules(wanted.modules), host, port, origins, hosts });
  }

  async #checked(what: string, launched: ListenerOptions, request: ListenRequest): Promise<NarrowedListener> {
    const wanted = narrowed(launched, request);
    const resolved = { ...wanted, host: await addressOf(wanted.host) };
    await this.#checkExposure(what, resolved);
    return resolved;
  }

  #rules(modules: readonly string[] | undefined): AccessRules {
    const unsafe = this.#options.unsafeDebugDisabled !== true;
    const hostMethods = this.#options.unsafeHost === true;
    return { unsafe, hostMethods, ...(modules && { modules }) };
  }
}

function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(":"));
}
