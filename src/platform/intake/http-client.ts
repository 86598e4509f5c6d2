import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Cancel, Timers } from "../runtime/runtime.ts";
import { IntakeError } from "./errors.ts";
import { PieceIntake } from "./pieces.ts";
import { checkPublicHost, createCheckedLookup, createPublicLookup, type Lookup } from "./targets.ts";

/** Time limit for connecting. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Longest pause within a response. */
const IDLE_TIMEOUT_MS = 10_000;
/** Maximum bytes of a response's head. */
const MAX_HEAD = 16_384;
/** Maximum interim responses (`1xx`). */
const MAX_INTERIM = 16;
/** After that time without a request, a connection is closed: a server that closes it first may do so as a request arrives. */
const KEEP_ALIVE_MS = 4_000;

/** Options of a client. */
export interface HttpClientOptions {
  readonly timers: Timers;
  /** Concurrent requests; the others wait. */
  readonly connections: number;
  /** Whether connections are reused. */
  readonly keepAlive: boolean;
  /** DNS lookup for names whose addresses are checked; by default the system's. */
  readonly lookup?: Lookup;
  /** Throws for an address that a name must not resolve to; literal addresses in URLs are up to the caller. */
  readonly checkAddress?: (address: string, host: string) => void;
}

/** A request, and the limits of its response. */
export interface HttpPost {
  /** Credentials in it are sent as `Authorization`. */
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the whole exchange. */
  readonly timeoutMs: number;
  /** Maximum bytes of the response's body. */
  readonly most: number;
  /** Refuses addresses that are not public, after resolving names. */
  readonly onlyPublic?: boolean;
  readonly signal?: AbortSignal;
}

/** A response read to its end. */
export interface HttpResponse {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

/** An HTTP client that accepts only what was requested: no redirects, no compressed or endless responses. */
export interface HttpClient {
  /** @throws IntakeError `FORBIDDEN_TARGET`, `NO_ANSWER`, `TOO_LARGE` */
  post(message: HttpPost): Promise<HttpResponse>;
  /** Closes idle connections. */
  close(): void;
}

/** Creates a client with connections of its own. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { timers, connections, keepAlive, lookup, checkAddress } = options;
  const agentOptions = {
    keepAlive,
    maxSockets: connections,
    maxTotalSockets: connections,
    maxFreeSockets: connections,
    timeout: KEEP_ALIVE_MS,
  };
  const anyLookup = checkAddress && createCheckedLookup(checkAddress, lookup);
  // Separate pools, so that a connection to a private address is never reused for a request restricted to public ones.
  const agents = {
    any: agentsOf({ ...agentOptions, ...(anyLookup && { lookup: anyLookup }) }),
    public: agentsOf({ ...agentOptions, lookup: createPublicLookup(lookup) }),
  };
  return {
    post: (message) => post(message, agents[message.onlyPublic ? "public" : "any"], timers),
    close() {
      for (const { http, https } of Object.values(agents)) for (const agent of [http, https]) agent.destroy();
    },
  };
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

function agentsOf(options: ConstructorParameters<typeof HttpAgent>[0]): Agents {
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
}

function post(message: HttpPost, agents: Agents, timers: Timers): Promise<HttpResponse> {
  const { url, onlyPublic, signal } = message;
  return new Promise((resolve, reject) => {
    if (url.protocol !== "http:" && url.protocol !== "https:")
      throw new IntakeError("FORBIDDEN_TARGET", `${url.protocol} is neither http: nor https:`);
    if (onlyPublic) checkPublicHost(url);
    if (signal?.aborted) throw noResponse("this node is stopping");
    new Exchange(message, timers, { resolve, reject }).begin(agents);
  });
}

interface Settle {
  resolve(answer: HttpResponse): void;
  reject(error: Error): void;
}

/** One request, until its response is complete or a limit is exceeded. */
class Exchange {
  readonly #message: HttpPost;
  readonly #timers: Timers;
  readonly #settle: Settle;
  readonly #body: PieceIntake;
  #request: ClientRequest | undefined;
  #cancels: Cancel[] = [];
  #cancelPause: Cancel = () => {};
  readonly #stop = (): void => this.#fail(noResponse("this node is stopping"));

  constructor(message: HttpPost, timers: Timers, settle: Settle) {
    this.#message = message;
    this.#timers = timers;
    this.#settle = settle;
    this.#body = new PieceIntake(message.most);
  }

  begin({ http, https }: Agents): void {
    const { url, headers, body, timeoutMs, signal } = this.#message;
    const isSecure = url.protocol === "https:";
    const request = (isSecure ? httpsRequest : httpRequest)(withoutCredentials(url), {
      method: "POST",
      headers: {
        ...authorizationOf(url),
        ...headers,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "accept-encoding": "identity",
      },
      agent: isSecure ? https : http,
      maxHeaderSize: MAX_HEAD,
    });
    this.#request = request;
    const late = () => this.#fail(noResponse(`no response within ${timeoutMs} ms`));
    this.#cancels = [this.#timers.schedule(timeoutMs, late)];
    signal?.addEventListener("abort", this.#stop, { once: true });
    request.on("error", (error) => this.#fail(error));
    limitInterim(request, (error) => this.#fail(error));
    request.on("response", (response) => this.#read(response));
    request.on("socket", (socket) => {
      if (!socket.connecting) return;
      this.#expect(CONNECT_TIMEOUT_MS, "no connection");
      socket.once(isSecure ? "secureConnect" : "connect", () => this.#cancelPause());
    });
    request.end(body);
  }

  #read(response: IncomingMessage): void {
    const { "content-encoding": packing = "identity", "content-type": type = "" } = response.headers;
    if (packing !== "identity") {
      this.#fail(noResponse(`its response is compressed (${packing.slice(0, 20)})`));
      return;
    }
    this.#expect(IDLE_TIMEOUT_MS, "a pause in its response");
    response.on("data", (piece: Uint8Array) => {
      try {
        this.#body.add(piece);
        this.#expect(IDLE_TIMEOUT_MS, "a pause in its response");
      } catch (error) {
        this.#fail(error as IntakeError);
      }
    });
    response.on("error", (error) => this.#fail(error));
    response.on("end", () => {
      this.#end();
      this.#settle.resolve({ status: response.statusCode ?? 0, type, body: this.#body.take() });
    });
  }

  /** Starts the time limit of the next step. */
  #expect(ms: number, otherwise: string): void {
    this.#cancelPause();
    this.#cancelPause = this.#timers.schedule(ms, () => this.#fail(noResponse(`${otherwise} of ${ms} ms`)));
  }

  /** Aborts the exchange. */
  #fail(error: Error): void {
    this.#end();
    this.#request?.destroy();
    this.#settle.reject(error instanceof IntakeError ? error : noResponse(reasonOf(error), error));
  }

  #end(): void {
    this.#cancelPause();
    for (const cancel of this.#cancels.splice(0)) cancel();
    this.#message.signal?.removeEventListener("abort", this.#stop);
  }
}

/** Fails once a server has sent more interim responses (`1xx`) than any needs. */
export function limitInterim(request: ClientRequest, fail: (error: IntakeError) => void): void {
  let count = 0;
  request.on("information", () => {
    if (++count > MAX_INTERIM) fail(noResponse("endless interim responses"));
  });
}

function reasonOf(error: Error & { readonly code?: unknown }): string {
  return typeof error.code === "string" ? error.code : error.message;
}

function noResponse(reason: string, cause?: unknown): IntakeError {
  return new IntakeError("NO_ANSWER", reason, {}, { cause });
}

function withoutCredentials(from: URL): URL {
  const url = new URL(from);
  url.username = "";
  url.password = "";
  return url;
}

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const text = `${decoded(username)}:${decoded(password)}`;
  return { authorization: `Basic ${Buffer.from(text).toString("base64")}` };
}

/** Percent-decodes; errors do not contain the credentials. @throws IntakeError `FORBIDDEN_TARGET` */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new IntakeError("FORBIDDEN_TARGET", "its user name or password is not percent-encoded UTF-8");
  }
}
