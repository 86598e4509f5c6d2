import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Cancel, Clock, Timers } from "../../../../platform/runtime/runtime.ts";

/** Bytes of every token. */
const TOKEN_BYTES = 32;
/** Maximum open pages; the one unused for longest makes room. */
const MAX_SESSIONS = 16;
/** Links that have not been used yet. */
const MAX_LINKS = 8;
/** Milliseconds without user activity after which a session locks the accounts that it unlocked. */
const IDLE_LOCK_MS = 60_000;

/** A page that has exchanged a link's token. */
export interface PageSession {
  readonly token: string;
  /** Monotonic milliseconds of the last user activity. */
  usedAt: number;
  /** Accounts unlocked through it, as hex. */
  readonly unlocked: Set<string>;
  idle: Cancel | undefined;
}

/** Dependencies of sessions. */
export interface PageSessionParts {
  readonly clock: Pick<Clock, "elapsed">;
  readonly timers: Timers;
  /** Locks an account. @param address - as hex */
  readonly lock: (address: string) => void;
}

/**
 * Sessions of the page. A link holds a token that is good for one exchange; the session token it is exchanged for is kept in
 * the page's memory and sent in a header. Neither is stored or logged on either side.
 */
export class Sessions {
  readonly #parts: PageSessionParts;
  #links: string[] = [];
  #sessions: PageSession[] = [];

  constructor(parts: PageSessionParts) {
    this.#parts = parts;
  }

  /** A token for one exchange. */
  link(): string {
    const token = newToken();
    this.#links = [...this.#links, token].slice(-MAX_LINKS);
    return token;
  }

  /** Exchanges the token of a link, which is void from then on. @returns undefined for an unknown token */
  open(linkToken: string): PageSession | undefined {
    const found = this.#links.find((link) => isSame(link, linkToken));
    if (found === undefined) return undefined;
    this.#links = this.#links.filter((link) => link !== found);
    const usedAt = this.#parts.clock.elapsed();
    const session: PageSession = { token: newToken(), usedAt, unlocked: new Set(), idle: undefined };
    this.#sessions.sort((a, b) => a.usedAt - b.usedAt);
    while (this.#sessions.length >= MAX_SESSIONS) this.#end(this.#sessions.shift());
    this.#sessions.push(session);
    return session;
  }

  /** The session of a token. */
  find(token: string): PageSession | undefined {
    return this.#sessions.find((session) => isSame(session.token, token));
  }

  /** Registers user activity. */
  touch(session: PageSession): void {
    session.usedAt = this.#parts.clock.elapsed();
    session.idle?.();
    session.idle = undefined;
    if (session.unlocked.size > 0)
      session.idle = this.#parts.timers.schedule(IDLE_LOCK_MS, () => this.#lock(session));
  }

  /** Ends all sessions, and locks what they have unlocked. */
  close(): void {
    for (const session of this.#sessions.splice(0)) this.#end(session);
    this.#links = [];
  }

  #end(session: PageSession | undefined): void {
    if (session === undefined) return;
    session.idle?.();
    this.#lock(session);
  }

  #lock(session: PageSession): void {
    session.idle = undefined;
    for (const address of session.unlocked) this.#parts.lock(address);
    session.unlocked.clear();
  }
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("hex");
}

function isSame(known: string, given: string): boolean {
  const [a, b] = [Buffer.from(known), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
