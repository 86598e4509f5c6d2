import { takeToken } from "./router.ts";
import { parseResponse } from "./visible.ts";

/** An error response of the node, or of its HTTP listener (`status`). */
export class RefusedCall extends Error {
  override name = "RefusedCall";
  readonly code: number | undefined;
  readonly status: number | undefined;
  readonly data: unknown;

  constructor(message: string, { code, status, data }: { code?: number; status?: number; data?: unknown }) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

/** No response at all: the node is down, or cannot be reached. */
export class NoResponse extends RefusedCall {
  override name = "NoResponse";

  constructor() {
    super("the node does not respond", {});
  }
}

const CALLS = "/api";

/** Kept in memory only: a reload of the page needs a new link. */
let session: string | undefined;
let lastId = 0;
const watchers = new Set<() => void>();

/** Whether this page has a session. */
export function hasSession(): boolean {
  return session !== undefined;
}

/** Calls back when the session starts or ends. @returns a function that unsubscribes */
export function onSession(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** Exchanges the token of a link, which becomes invalid. @throws RefusedCall 401 for an unknown token */
export async function openSession(token: string): Promise<void> {
  const answer = (await post("/api/session", { token })) as { session: string };
  session = answer.session;
  for (const watcher of watchers) watcher();
}

/** Exchanges the token of the link that this page was opened with, or that was pasted over its address, if any. */
export async function signIn(): Promise<void> {
  const token = takeToken();
  if (token !== undefined) await openSession(token).catch(() => undefined); // the page asks for a link
}

/** Subprotocols of the event stream: a page cannot set headers there. */
export function streamProtocols(): string[] {
  return ["kairn.dashboard", ...(session === undefined ? [] : [session])];
}

/**
 * Calls a method of the node.
 * @throws RefusedCall
 */
export async function call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
  const answer = (await post(CALLS, { jsonrpc: "2.0", id: ++lastId, method, params })) as {
    result?: T;
    error?: { code: number; message: string; data?: unknown };
  };
  if (answer.error !== undefined) throw new RefusedCall(answer.error.message, answer.error);
  return answer.result as T;
}

async function post(path: string, body: unknown): Promise<unknown> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (session !== undefined) headers["authorization"] = `Bearer ${session}`;
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => {
    throw new NoResponse();
  });
  if (answer.status === 401 && path === CALLS) forget();
  if (!answer.ok) throw new RefusedCall((await answer.text()).trim(), { status: answer.status });
  return parseResponse(await answer.text());
}

/** The node has been restarted and no longer knows this session. */
function forget(): void {
  if (session === undefined) return;
  session = undefined;
  for (const watcher of watchers) watcher();
}
