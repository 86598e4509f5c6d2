import type { Certificate } from "../../platform/http/certificate.ts";
import type { Listener } from "../../platform/http/listener.ts";
import type { ReadinessCheck } from "../../platform/http/routes/probes.ts";
import type { SocketTaker } from "../../platform/sockets/io-processes.ts";
import type { Json } from "../../protocol/codec/json/value.ts";
import type { AccessRules, Registry } from "./engine/registry.ts";
import { RpcServer } from "./engine/server.ts";
import type { DefectListener, ServerOptions } from "./engine/server-options.ts";
import type { BlockWait } from "./services/block-wait.ts";
import type { RpcLimits } from "./services/limits.ts";
import type { Text } from "./spec/values/json-text.ts";
import { type HttpOptions, listenRpc } from "./transports/http/server.ts";
import { listenIpc } from "./transports/ipc.ts";
import { createProvider, createTextSource, type Provider } from "./transports/provider.ts";
import { WebSocketEndpoint } from "./transports/websocket.ts";

/** Address, access rules and modules of an HTTP listener. */
export interface HttpListenOptions extends HttpOptions, AccessRules {
  /** Also accepts WebSockets on this port. `origins`: allowed browser origins, `*` = all. */
  readonly webSocket?: AccessRules & { readonly origins: readonly string[] };
}

/** Address, access rules and modules of a WebSocket listener. */
export interface WebSocketListenOptions extends AccessRules {
  readonly host: string;
  readonly port: number;
  /** Allowed browser origins; `*` = all. */
  readonly origins: readonly string[];
  /** Accepted names in `Host`, as over HTTP. */
  readonly hosts: readonly string[];
}

/** JSON-RPC of one node: its listeners and its in-process provider. */
export interface Rpc {
  readonly registry: Registry;
  listenHttp(options: HttpListenOptions): Promise<Listener>;
  listenWebSocket(options: WebSocketListenOptions): Promise<Listener>;
  /** @param path unix socket, or named pipe on Windows. All modules and all methods. */
  listenIpc(path: string): Promise<Listener>;
  /** All modules and all methods. */
  readonly provider: Provider;
  /** The same, for the node's own look-ups: such calls are not counted, reported or explained. */
  readonly quietProvider: Provider;
  /** The result of such a call as JSON text. @throws what the method throws */
  quietText(method: string, params: readonly Json[]): Promise<Text>;
  /** Dispatches calls under separate limits, for the node's other services; they are not reported or explained. */
  dispatcher(limits: Partial<RpcLimits>): RpcServer;
  /** Sets how many subscriptions one connection may have. */
  limitSubscriptions(max: number): void;
}

/** How the methods are served. */
export interface RpcOptions extends Omit<ServerOptions, "phrases"> {
  /** The interceptor of `quietProvider`. */
  readonly quietInterceptor?: ServerOptions["interceptor"];
  /** Answers `/ready` on HTTP listeners; absent = no probes. */
  readonly readiness?: ReadinessCheck | undefined;
  /** Enables TLS for HTTP and WebSocket. */
  readonly certificate?: Certificate | undefined;
  /** Per listener. */
  readonly maxConnections?: number | undefined;
  /** Gives sockets of HTTP and WebSocket clients to I/O processes. */
  readonly takeSocket?: SocketTaker | undefined;
  /** Lets requests over HTTP wait for a block. */
  readonly blocks?: BlockWait | undefined;
}

const EVERYTHING: AccessRules = { unsafe: true, local: true };

/**
 * Serves a filled registry.
 * @param signal aborts every running call when the node stops
 * @param onDefect called with each error that is a defect of the node rather than a response to the caller
 */
export function createRpc(
  registry: Registry,
  signal: AbortSignal,
  onDefect: DefectListener,
  { readiness, certificate, maxConnections, takeSocket, blocks, ...options }: RpcOptions = {},
): Rpc {
  const server = new RpcServer(onDefect, { ...options, phrases: registry.dialect.phrases });
  const { budget } = server;
  const shared = { stop: signal, certificate, maxConnections, takeSocket };
  const quiet = new RpcServer(onDefect, { budget, interceptor: options.quietInterceptor });
  const everything = registry.access(EVERYTHING);
  const endpoint = (rules: AccessRules & { readonly origins: readonly string[] }) =>
    new WebSocketEndpoint(server, { access: registry.access(rules), origins: rules.origins });

  return {
    registry,
    provider: createProvider(server, everything, signal),
    quietProvider: createProvider(quiet, everything, signal),
    quietText: createTextSource(quiet, everything, signal),
    dispatcher: (limits) =>
      new RpcServer(onDefect, { budget, limits, interceptor: options.quietInterceptor }),
    limitSubscriptions: (max) => server.limitSubscriptions(max),
    listenIpc: (path) => listenIpc(server, everything, path),
    async listenHttp(options) {
      const webSockets = options.webSocket === undefined ? undefined : endpoint(options.webSocket);
      const listening = { ...shared, webSockets, readiness, blocks };
      return closingFirst(await listenRpc(server, registry.access(options), options, listening), webSockets);
    },
    async listenWebSocket({ host, port, origins, hosts, ...rules }) {
      const webSockets = endpoint({ ...rules, origins });
      const nothing = registry.access({ modules: [], unsafe: false });
      const listened = { host, port, cors: [], hosts };
      return closingFirst(await listenRpc(server, nothing, listened, { ...shared, webSockets }), webSockets);
    },
  };
}

function closingFirst(listener: Listener, webSockets: WebSocketEndpoint | undefined): Listener {
  return {
    ...listener,
    close: () => {
      webSockets?.close();
      return listener.close();
    },
  };
}
