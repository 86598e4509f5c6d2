import type { Access, Registry } from "../../../../api/rpc/engine/registry.ts";
import type { RpcServer } from "../../../../api/rpc/engine/server.ts";
import { createSession } from "../../../../api/rpc/engine/session.ts";
import type { Text } from "../../../../api/rpc/spec/values/json-text.ts";
import { WebSocketEndpoint } from "../../../../api/rpc/transports/websocket.ts";
import type { Head } from "../../../../platform/http/connection/head.ts";
import { type Listener, listenHttp } from "../../../../platform/http/listener.ts";
import { admit, type Front } from "../../../../platform/http/routes/admission.ts";
import { hostFault } from "../../../../platform/http/routes/hosts.ts";
import { isOriginAllowed } from "../../../../platform/http/routes/origins.ts";
import type { Handler, HttpService, LongReply, Reply } from "../../../../platform/http/service.ts";
import { parseJsonWithin } from "../../../../platform/intake/nesting.ts";
import type { Runtime } from "../../../../platform/runtime/runtime.ts";
import { CallGate } from "./call-gate.ts";
import { API_PATH, type DashboardRules, dashboardFront, dashboardHeaders } from "./front.ts";
import { ownOrigins } from "./own-origins.ts";
import { type PageAccess, type PageRules, pageAccess, watchedAccess } from "./page-access.ts";
import { readPageFiles } from "./page-files.ts";
import { type PageSession, Sessions } from "./sessions.ts";

/** Bytes of a request. */
export const MAX_BODY = 256 * 1024;
/** Calls answered concurrently. */
export const MAX_CALLS = 20;
/** Connections; a browser opens six to one host. */
const MAX_CONNECTIONS = 256;
/** Streams among them, one per open page, of sessions and of readers without a token; the rest is left for calls. */
const MAX_STREAMS = { session: 40, reader: 120 };
/** Subprotocol of the event stream; the session's token follows as a second one, since pages cannot set headers there. */
export const STREAM_PROTOCOL = "kairn.dashboard";
const BEARER = "Bearer ";

/** Where a dashboard is served, and its access rules. */
export interface DashboardListening extends PageRules {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Host names that requests may be addressed to besides those of loopback. */
  readonly hosts: readonly string[];
  /** Whether reading needs no session. */
  readonly publicRead: boolean;
}

/** Dependencies of a dashboard. */
export interface DashboardParts {
  /** The node's methods, and the dashboard's own. */
  readonly node: Registry;
  readonly own: Registry;
  readonly server: RpcServer;
  readonly runtime: Runtime;
  readonly onFault: (error: unknown) => void;
  readonly stop?: AbortSignal;
}

/** A running dashboard. */
export interface Dashboard {
  /** `http://127.0.0.1:9551/` */
  readonly url: string;
  /** The same with a token in the fragment, good for one page; keep it out of logs. */
  link(): string;
  close(): Promise<void>;
}

/**
 * Serves the page, its calls and its events on a port of their own.
 * @throws Error of `node:net` when the address is taken
 */
export async function serveDashboard(
  parts: DashboardParts,
  listening: DashboardListening,
): Promise<Dashboard> {
  const { server, runtime } = parts;
  const access = pageAccess(parts.node, parts.own, listening);
  const sessions = new Sessions({
    ...{ clock: runtime.clock, timers: runtime.timers },
    lock: (address) => void lockAccount(address, server, access.session, parts.onFault),
  });
  const service = new DashboardService({ ...parts, access, sessions, publicRead: listening.publicRead });
  const options = {
    ...{ host: listening.host, port: listening.port, budget: server.budget, onFault: parts.onFault },
    ...(parts.stop && { stop: parts.stop }),
    maxConnections: MAX_CONNECTIONS,
  };
  const listener: Listener = await listenHttp(service, options);
  service.open(listener.port, listening.hosts);
  const url = `http://${listener.address}/`;
  return {
    url,
    link: () => `${url}#token=${sessions.link()}`,
    async close() {
      service.close();
      sessions.close();
      await listener.close();
    },
  };
}

interface ServiceParts extends DashboardParts {
  readonly access: PageAccess;
  readonly sessions: Sessions;
  readonly publicRead: boolean;
}

/** Serves the dashboard's port; refuses every request before the port is known. */
class DashboardService implements HttpService {
  readonly maxBody = MAX_BODY;
  readonly #parts: ServiceParts;
  #rules: DashboardRules;
  #front: Front;
  #streams: readonly WebSocketEndpoint[] = [];
  readonly #openStreams = { session: 0, reader: 0 };
  readonly #accesses = new WeakMap<PageSession, Access>();
  /** Readers without a token have a limit of their own. */
  readonly #gates = { session: new CallGate(MAX_CALLS), reader: new CallGate(MAX_CALLS) };

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    const nobody = { hosts: new Set<string>(), origins: new Set<string>() };
    const handlers = { call: this.#call, openSession: this.#openSession };
    this.#rules = { ...nobody, ...handlers, files: readPageFiles(), maxBody: MAX_BODY };
    this.#front = dashboardFront(this.#rules);
  }

  /** @param port - that it listens on */
  open(port: number, hosts: readonly string[]): void {
    const own = ownOrigins(port, hosts);
    this.#rules = { ...this.#rules, ...own };
    this.#front = dashboardFront(this.#rules);
    const { server, access } = this.#parts;
    const origins = [...own.origins];
    this.#streams = [access.events, access.readerEvents].map(
      (events) => new WebSocketEndpoint(server, { access: events, origins }),
    );
  }

  close(): void {
    for (const stream of this.#streams) stream.close();
  }

  admit(head: Head): ReturnType<HttpService["admit"]> {
    return admit(head, this.#front);
  }

  upgrades(head: Head): boolean {
    const { method, target, fields } = head;
    if (method !== "GET" || target !== API_PATH || fields.upgrade?.toLowerCase() !== "websocket")
      return false;
    const { hosts, origins } = this.#rules;
    if (hostFault(fields.host, { exactly: hosts }) !== undefined) return false;
    if (!isOriginAllowed(fields.origin, { exactly: origins })) return false;
    const [protocol, token = ""] = protocolsOf(head);
    if (protocol !== STREAM_PROTOCOL) return false;
    const kind = kindOf(token);
    if (this.#openStreams[kind] >= MAX_STREAMS[kind]) return false;
    return token === "" ? this.#parts.publicRead : this.#parts.sessions.find(token) !== undefined;
  }

  upgrade(...[head, socket, rest]: Parameters<NonNullable<HttpService["upgrade"]>>): void {
    const [, token] = protocolsOf(head);
    const kind = kindOf(token);
    this.#openStreams[kind]++;
    socket.once("close", () => this.#openStreams[kind]--);
    this.#streams[kind === "session" ? 0 : 1]?.take(head, socket, rest);
  }

  #accessOf(session: PageSession): Access {
    const known = this.#accesses.get(session);
    if (known !== undefined) return known;
    const { access, sessions } = this.#parts;
    const made = watchedAccess(access.session, session, sessions);
    this.#accesses.set(session, made);
    return made;
  }

  readonly #openSession: Handler = (body) => {
    const token = tokenIn(body);
    const session = token === undefined ? undefined : this.#parts.sessions.open(token);
    return session === undefined ? UNKNOWN_TOKEN : asReply(JSON.stringify({ session: session.token }));
  };

  readonly #call: Handler = (body, client, head) => {
    const { server, access, sessions, publicRead } = this.#parts;
    const { authorization = "" } = head.fields;
    const session = authorization.startsWith(BEARER)
      ? sessions.find(authorization.slice(BEARER.length))
      : undefined;
    if (session === undefined && (authorization !== "" || !publicRead)) return NO_SESSION;
    const caller = createSession(session === undefined ? access.reader : this.#accessOf(session), client);
    const gate = session === undefined ? this.#gates.reader : this.#gates.session;
    const answer = gate.answer(() => server.answer(body, caller));
    if (answer === undefined) return TOO_MANY;
    return answer instanceof Promise ? answer.then(asReply) : asReply(answer);
  };
}

const JSON_HEADERS = dashboardHeaders("application/json");
const PLAIN = dashboardHeaders("text/plain; charset=utf-8");
const UNKNOWN_TOKEN: Reply = { status: 401, headers: PLAIN, body: "unknown token\n" };
const NO_SESSION: Reply = {
  status: 401,
  headers: `${PLAIN}WWW-Authenticate: Bearer\r\n`,
  body: "no session\n",
};
const TOO_MANY: Reply = { status: 429, headers: `${PLAIN}Retry-After: 1\r\n`, body: "too many calls\n" };

/** The requested subprotocol, and the token after it. */
function protocolsOf({ fields }: Head): readonly string[] {
  return (fields["sec-websocket-protocol"] ?? "").split(",").map((part) => part.trim());
}

function kindOf(token: string | undefined): "session" | "reader" {
  return token ? "session" : "reader";
}

function asReply(answer: Text): LongReply {
  return { status: 200, headers: JSON_HEADERS, body: answer };
}

function tokenIn(body: Buffer): string | undefined {
  try {
    const parsed = parseJsonWithin(body.toString());
    const token =
      typeof parsed === "object" && parsed !== null && "token" in parsed ? parsed.token : undefined;
    return typeof token === "string" ? token : undefined;
  } catch {
    return undefined;
  }
}

async function lockAccount(
  address: string,
  server: RpcServer,
  access: Access,
  onFault: (error: unknown) => void,
): Promise<void> {
  try {
    await server.call(
      "personal_lockAccount",
      [address],
      createSession(access, { signal: new AbortController().signal }),
    );
  } catch (error) {
    onFault(error);
  }
}
