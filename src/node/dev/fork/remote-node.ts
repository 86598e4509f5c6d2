import { RpcError } from "../../../api/rpc/engine/errors.ts";
import { createHttpClient, type HttpClient } from "../../../platform/intake/http-client.ts";
import { secretsOf } from "../../../platform/intake/secrets.ts";
import type { Timers } from "../../../platform/runtime/runtime.ts";
import { AtOnce } from "../../../platform/runtime/turns/at-once.ts";
import type { Pace } from "../../../platform/runtime/turns/pace.ts";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { ForkError } from "./errors.ts";
import { LONG_RESPONSE, type RemoteRequest, type RemoteResponse, readResponses } from "./remote-responses.ts";

/** How a remote node is called. */
export interface RemoteNodeOptions {
  readonly url: string;
  /** Whether the URL must lead to the public internet, since it comes from a remote caller. */
  readonly onlyPublic?: boolean | undefined;
  /** Sent with each request to this origin, such as `Authorization`; not to another one that the client is moved to. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Timeout of a response, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Further tries when a request fails. */
  readonly retries?: number | undefined;
  readonly timers: Timers;
}

/** A method with its arguments. */
export type RemoteCall = readonly [method: string, ...params: Json[]];

/** Where a node is, and whether it must be on the public internet. */
export interface RemoteTarget {
  readonly url: URL;
  readonly onlyPublic: boolean;
}

interface Problem {
  readonly problem: string;
  readonly mayPass: boolean;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 4;
/** Doubled with each further try. */
const FIRST_PAUSE_MS = 250;
/** Requests at a time, until their responses are parsed: they may take up to 32 MiB each until then. */
const CONNECTIONS = 8;
/** Bytes of a response: traces of a block are the longest. */
const MAX_ANSWER = 32 << 20;
/** HTTP: too many requests. */
const TOO_MANY = 429;

/** A remote node, called over HTTP. */
export class RemoteNode {
  readonly #options: RemoteNodeOptions;
  readonly #stopped = new AbortController();
  readonly #client: HttpClient;
  readonly #firstOrigin: string;
  readonly #slice = new TimeSlice();
  readonly #requests = new AtOnce(CONNECTIONS);
  /** Long responses are parsed one at a time: their values may take several times as much. */
  readonly #longResponses = new AtOnce(1);
  #target: RemoteTarget;
  /** Calls per batch: lowered once the node has refused a batch of that size. */
  #mostCalls = 100;
  #ids = 0;

  constructor(options: RemoteNodeOptions) {
    this.#options = options;
    this.#target = { url: new URL(options.url), onlyPublic: options.onlyPublic ?? false };
    this.#firstOrigin = this.name;
    this.#client = createHttpClient({ timers: options.timers, connections: CONNECTIONS, keepAlive: true });
  }

  /** Its origin, without path and key, for messages. */
  get name(): string {
    return this.#target.url.origin;
  }

  /** Whether it is where it was opened, or was moved within that origin. */
  get isFirst(): boolean {
    return this.name === this.#firstOrigin;
  }

  /** The pace of work on responses. Throws once this client is closed. */
  readonly pace: Pace = {
    isDue: () => this.#slice.isDue(),
    yield: async () => {
      await this.#slice.yield();
      if (this.#stopped.signal.aborted) throw this.#failed("this node is stopping");
    },
  };

  /** Switches to another node of the same chain. */
  moveTo(target: RemoteTarget): void {
    this.#target = target;
  }

  /** Aborts running requests. */
  close(): void {
    this.#stopped.abort();
    this.#client.close();
  }

  /**
   * Calls one method.
   * @throws RpcError the error that the node returns; ForkError `REMOTE_FAILED`
   */
  async call(...[method, ...params]: RemoteCall): Promise<Json> {
    return this.#callOne(method, params, false);
  }

  /** Calls one method whose result has amounts as JSON numbers; those that a double cannot hold become `NumberLiteral`. */
  async callExactly(...[method, ...params]: RemoteCall): Promise<Json> {
    return this.#callOne(method, params, true);
  }

  async #callOne(method: string, params: readonly Json[], isExact: boolean): Promise<Json> {
    const request = { jsonrpc: "2.0" as const, id: ++this.#ids, method, params };
    const [answer] = await this.#post([request], { isBatch: false, isExact });
    return this.#resultOf(answer);
  }

  /**
   * Calls methods in one request.
   * @returns their results in this order
   * @throws RpcError the error of the first that fails; ForkError `REMOTE_FAILED`
   */
  async callAll(calls: readonly RemoteCall[]): Promise<Json[]> {
    return (await this.#answers(calls)).map((answer) => this.#resultOf(answer));
  }

  /**
   * Calls methods in one request; each may fail on its own.
   * @returns their results in this order, undefined for those that failed
   * @throws ForkError `REMOTE_FAILED`
   */
  async callEach(calls: readonly RemoteCall[]): Promise<(Json | undefined)[]> {
    return (await this.#answers(calls)).map((answer) => answer?.result);
  }

  async #answers(calls: readonly RemoteCall[]): Promise<(RemoteResponse | undefined)[]> {
    const answers: (RemoteResponse | undefined)[] = [];
    while (answers.length < calls.length) {
      const some = calls.slice(answers.length, answers.length + this.#mostCalls);
      const got = await this.#postCalls(some);
      if (got === undefined) this.#mostCalls = some.length >> 1;
      else answers.push(...got);
    }
    return answers;
  }

  /** @returns undefined when the node refuses a batch of that size */
  async #postCalls(calls: readonly RemoteCall[]): Promise<(RemoteResponse | undefined)[] | undefined> {
    const messages = calls.map(([method, ...params]) => ({
      jsonrpc: "2.0" as const,
      id: ++this.#ids,
      method,
      params,
    }));
    const answers = await this.#post(messages, { isBatch: messages.length > 1 });
    if (calls.length > 1 && answers.length === 1 && answers[0]?.error !== undefined) return undefined;
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    return messages.map(({ id }) => byId.get(id));
  }

  #resultOf(answer: RemoteResponse | undefined): Json {
    if (answer?.error !== undefined) {
      const { code, message, data } = answer.error;
      throw new RpcError(code, message, data);
    }
    if (answer?.result === undefined) throw this.#failed("it omitted a response");
    return answer.result;
  }

  async #post(
    messages: readonly RemoteRequest[],
    { isBatch, isExact = false }: { readonly isBatch: boolean; readonly isExact?: boolean },
  ): Promise<readonly RemoteResponse[]> {
    const { retries = DEFAULT_RETRIES, timers } = this.#options;
    const body = JSON.stringify(isBatch ? messages : messages[0]);
    for (let tried = 0; ; tried++) {
      const answer = await this.#requests.run(() => this.#try(body, messages, isExact));
      if (Array.isArray(answer)) return answer;
      const { problem, mayPass } = answer as Problem;
      if (!mayPass || tried >= retries || this.#stopped.signal.aborted) throw this.#failed(problem);
      await new Promise<void>((resolve) => timers.schedule(FIRST_PAUSE_MS * 2 ** tried, resolve));
    }
  }

  /** @returns the responses, or the failure and whether a retry may help */
  async #try(
    body: string,
    asked: readonly RemoteRequest[],
    isExact: boolean,
  ): Promise<readonly RemoteResponse[] | Problem> {
    const { headers, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const { url, onlyPublic } = this.#target;
    try {
      const response = await this.#client.post({
        ...{ url, onlyPublic, body, timeoutMs, most: MAX_ANSWER, signal: this.#stopped.signal },
        ...(headers && this.isFirst && { headers }),
      });
      const { status } = response;
      if (status < 200 || status >= 300)
        return { problem: `it responds with HTTP ${status}`, mayPass: status === TOO_MANY || status >= 500 };
      const { pace } = this;
      const secrets = secretsOf(url, headers);
      const read = () => readResponses(response.body, asked, { isExact, pace, secrets });
      return await (response.body.length > LONG_RESPONSE ? this.#longResponses.run(read) : read());
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      return { problem: error.message, mayPass: error.code === "NO_ANSWER" };
    }
  }

  #failed(problem: string): ForkError {
    return new ForkError("REMOTE_FAILED", `the forked node ${this.name} failed: ${problem}`, {
      url: this.name,
    });
  }
}
