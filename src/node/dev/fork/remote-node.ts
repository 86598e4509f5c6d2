import { RpcError } from "../../../api/rpc/errors.ts";
import type { Timers } from "../../../platform/runtime/runtime.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { ForkError } from "./errors.ts";

/** How a node elsewhere is called. */
export interface RemoteNodeOptions {
  readonly url: string;
  /** Sent with each request, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** For one answer, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Further tries when a request fails. */
  readonly retries?: number | undefined;
  readonly timers: Timers;
}

/** A method with its arguments. */
export type RemoteCall = readonly [method: string, ...params: Json[]];

interface Answer {
  readonly id?: number | null;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 4;
/** Doubled with each further try. */
const FIRST_PAUSE_MS = 250;
/** HTTP: too many requests. */
const TOO_MANY = 429;

/** A node elsewhere, called over HTTP. */
export class RemoteNode {
  readonly #options: RemoteNodeOptions;
  readonly #stopped = new AbortController();
  #url: URL;
  /** Calls in one request: fewer, once the node has refused so many. */
  #mostCalls = 100;
  #ids = 0;

  constructor(options: RemoteNodeOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
  }

  /** Where it is, without path and key, for messages. */
  get name(): string {
    return this.#url.origin;
  }

  /** Asks another node of the same chain from now on. */
  moveTo(url: string): void {
    this.#url = new URL(url);
  }

  /** Gives up what is running. */
  close(): void {
    this.#stopped.abort();
  }

  /**
   * Calls one method.
   * @throws RpcError what the node answers; ForkError `REMOTE_FAILED`
   */
  async call(...[method, ...params]: RemoteCall): Promise<Json> {
    const [answer] = await this.#post([{ jsonrpc: "2.0", id: ++this.#ids, method, params }], false);
    return this.#resultOf(answer);
  }

  /**
   * Calls methods in one request.
   * @returns their results in this order
   * @throws RpcError what the node answers to the first that fails; ForkError `REMOTE_FAILED`
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

  async #answers(calls: readonly RemoteCall[]): Promise<(Answer | undefined)[]> {
    const answers: (Answer | undefined)[] = [];
    while (answers.length < calls.length) {
      const some = calls.slice(answers.length, answers.length + this.#mostCalls);
      const got = await this.#postCalls(some);
      if (got === undefined) this.#mostCalls = some.length >> 1;
      else answers.push(...got);
    }
    return answers;
  }

  /** @returns undefined when the node refuses so many at once */
  async #postCalls(calls: readonly RemoteCall[]): Promise<(Answer | undefined)[] | undefined> {
    const messages = calls.map(([method, ...params]) => ({
      jsonrpc: "2.0",
      id: ++this.#ids,
      method,
      params,
    }));
    const answers = await this.#post(messages, messages.length > 1);
    if (calls.length > 1 && answers.length === 1 && answers[0]?.error !== undefined) return undefined;
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    return messages.map(({ id }) => byId.get(id));
  }

  #resultOf(answer: Answer | undefined): Json {
    if (answer?.error !== undefined) {
      const { code, message, data } = answer.error;
      throw new RpcError(code, message, data);
    }
    if (answer?.result === undefined) throw this.#failed("it left out an answer");
    return answer.result;
  }

  async #post(messages: readonly object[], isBatch: boolean): Promise<Answer[]> {
    const { retries = DEFAULT_RETRIES, timers } = this.#options;
    const body = JSON.stringify(isBatch ? messages : messages[0]);
    for (let tried = 0; ; tried++) {
      const answer = await this.#try(body);
      if (Array.isArray(answer)) return answer;
      if (!answer.mayPass || tried >= retries || this.#stopped.signal.aborted)
        throw this.#failed(answer.problem);
      await new Promise<void>((resolve) => timers.schedule(FIRST_PAUSE_MS * 2 ** tried, resolve));
    }
  }

  /** @returns the answers, or what went wrong and whether another try may do better */
  async #try(body: string): Promise<Answer[] | { readonly problem: string; readonly mayPass: boolean }> {
    const { headers, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    try {
      const { url, authorization } = withoutCredentials(this.#url);
      const response = await fetch(url, {
        method: "POST",
        headers: { ...authorization, ...headers, "content-type": "application/json" },
        body,
        signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(timeoutMs)]),
      });
      const text = await response.text();
      const { status } = response;
      if (!response.ok) {
        return { problem: `it answers HTTP ${status}`, mayPass: status === TOO_MANY || status >= 500 };
      }
      const answer = JSON.parse(text) as Answer | Answer[];
      return Array.isArray(answer) ? answer : [answer];
    } catch (error) {
      return { problem: reasonOf(error, timeoutMs), mayPass: !(error instanceof SyntaxError) };
    }
  }

  #failed(problem: string): ForkError {
    return new ForkError("REMOTE_FAILED", `the forked node ${this.name} fails: ${problem}`, {
      url: this.name,
    });
  }
}

/** `https://name:password@host/` as a URL that can be asked, and the header that says the same. */
function withoutCredentials(from: URL): { url: string; authorization: Record<string, string> } {
  const { username, password } = from;
  if (username === "" && password === "") return { url: from.href, authorization: {} };
  const url = new URL(from);
  url.username = "";
  url.password = "";
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url: url.href, authorization: { authorization: `Basic ${Buffer.from(text).toString("base64")}` } };
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof SyntaxError) return "it answers no JSON";
  const { name, message, cause } = error as Error;
  if (name === "TimeoutError") return `no answer within ${timeoutMs} ms`;
  if (name === "AbortError") return "this node is stopping";
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : message;
}
