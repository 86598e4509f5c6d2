import type { Certificate } from "../../../../platform/http/certificate.ts";
import type { Head } from "../../../../platform/http/connection/head.ts";
import { type Listener, type ListenOptions, listenHttp } from "../../../../platform/http/listener.ts";
import { admit } from "../../../../platform/http/routes/admission.ts";
import { hostFault } from "../../../../platform/http/routes/hosts.ts";
import type { ReadinessCheck } from "../../../../platform/http/routes/probes.ts";
import {
  type Handler,
  type HttpService,
  textVerdict,
  type Verdict,
} from "../../../../platform/http/service.ts";
import type { ClientSocket } from "../../../../platform/sockets/client-socket.ts";
import type { SocketTaker } from "../../../../platform/sockets/io-processes.ts";
import type { Access } from "../../engine/registry.ts";
import type { RpcServer } from "../../engine/server.ts";
import { createSession } from "../../engine/session.ts";
import type { BlockWait } from "../../services/block-wait.ts";
import type { Text } from "../../spec/values/json-text.ts";
import { rpcFront } from "./front.ts";
import { afterBlock, type GuardedHandler } from "./min-block.ts";

/** Where to listen and for whom. */
export interface HttpOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly cors: readonly string[];
  readonly hosts: readonly string[];
}

/** Takes over connections that request a WebSocket. */
export interface WebSocketUpgrade {
  take(head: Head, socket: ClientSocket, rest: Buffer): void;
}

/** Further parts of an HTTP listener. */
export interface RpcListening {
  /** Aborted when the node stops. */
  readonly stop?: AbortSignal;
  readonly webSockets?: WebSocketUpgrade | undefined;
  /** Answers `/ready`; absent = no probes. */
  readonly readiness?: ReadinessCheck | undefined;
  /** Enables TLS. */
  readonly certificate?: Certificate | undefined;
  readonly maxConnections?: number | undefined;
  /** Gives sockets to I/O processes. */
  readonly takeSocket?: SocketTaker | undefined;
  /** Lets requests wait for a block; absent = none does. */
  readonly blocks?: BlockWait | undefined;
}

/**
 * Serves JSON-RPC over HTTP/1.1.
 * @throws Error of `node:net` when the address is taken
 */
export function listenRpc(
  server: RpcServer,
  access: Access,
  { host, port, cors, hosts }: HttpOptions,
  { stop, webSockets, readiness, blocks, ...shared }: RpcListening = {},
): Promise<Listener> {
  const { budget } = server;
  const rules = { cors, hosts, maxBody: server.limits.body, readiness };
  const answered: GuardedHandler = (refusal, body, client) => {
    const answer = server.answer(body, createSession(access, client, refusal));
    return answer instanceof Promise ? answer.then(asLine) : asLine(answer);
  };
  const handle: Handler = (body, client, head) => answered(undefined, body, client, head);
  const front = rpcFront(rules, handle);
  const service: HttpService = {
    maxBody: rules.maxBody,
    admit: (head) => authenticated(head, afterBlock(head, admit(head, front), blocks, answered), server),
    upgrades: (head) =>
      webSockets !== undefined && isWebSocket(head) && hostFault(head.fields.host, front.hosts) === undefined,
    upgrade: (head, socket, rest) => webSockets?.take(head, socket, rest),
  };
  const onFault: ListenOptions["onFault"] = (error) => server.reportDefect("http", error);
  return listenHttp(service, { host, port, budget, stop, onFault, ...shared });
}

/** A token is valid for a minute: it is checked with each request. */
function authenticated({ fields }: Head, verdict: Verdict, { token }: RpcServer): Verdict {
  if (token === undefined || verdict.handle === undefined) return verdict;
  if (token.allows(fields.authorization)) return { ...verdict, once: true };
  const refusal = textVerdict(401, "missing or wrong token", "WWW-Authenticate: Bearer\r\n");
  return { ...refusal, close: true, once: true };
}

function isWebSocket({ method, fields }: Head): boolean {
  return method === "GET" && fields.upgrade?.toLowerCase() === "websocket";
}

/** Responses end with a line feed; an empty response has none. */
function asLine(answer: Text): Text {
  if (typeof answer !== "string") return answer.within("", "\n");
  return answer === "" ? "" : `${answer}\n`;
}
