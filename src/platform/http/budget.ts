import { SharedBytes } from "../runtime/shared-bytes.ts";
import type { TimeSlice } from "../runtime/turns/time-slice.ts";

/** What a user of a budget needs of it. */
export interface Taker {
  /** @returns whether there was enough; otherwise nothing is taken */
  take(amount: number): boolean;
  give(amount: number): void;
}

/** A budget shared by all clients of a node: taken before use, given back afterwards. */
export class Allowance implements Taker {
  readonly most: number;
  #used = 0;
  #refused = 0;

  constructor(most: number) {
    this.most = most;
  }

  get used(): number {
    return this.#used;
  }

  /** Number of refusals since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether there is enough. */
  has(amount: number): boolean {
    return this.#used + amount <= this.most;
  }

  take(amount = 1): boolean {
    if (!this.has(amount)) {
      this.#refused++;
      return false;
    }
    this.#used += amount;
    return true;
  }

  /** Counts a refusal for another reason than this budget. */
  noteRefused(): void {
    this.#refused++;
  }

  give(amount = 1): void {
    this.#used -= amount;
  }
}

/** Time limits for a client, in seconds. */
export interface ClientTimes {
  /** For the head of a request, once it has begun, and a TLS handshake. */
  readonly head: number;
  /** For its body. */
  readonly body: number;
  /** Between requests. */
  readonly idle: number;
  /** Without reading anything of a response. */
  readonly unread: number;
  /** Between a request over HTTP and its response, which is 503 then. */
  readonly answer: number;
}

/** The time limits where no others are given; body, idle and unread are those of the reference node v2.2.1. */
export const DEFAULT_TIMES: ClientTimes = {
  head: 10,
  body: 30,
  idle: 120,
  unread: 30,
  answer: Number.POSITIVE_INFINITY,
};

/**
 * The bytes buffered for all clients together: responses being built, and finished ones not yet read. Above the limit, the client
 * with the most bytes is cut off.
 */
export class UnsentBytes extends SharedBytes {
  #cut = 0;

  /** Seconds after which a client that reads nothing is cut off. */
  readonly stalledSeconds: number;

  /** @param most bytes */
  constructor(most: number, stalledSeconds: number = DEFAULT_TIMES.unread) {
    super(most);
    this.stalledSeconds = stalledSeconds;
  }

  /** Clients that were cut off because they did not read, or did not answer pings, since the start. */
  get cut(): number {
    return this.#cut;
  }

  noteCut(): void {
    this.#cut++;
  }
}

/** Requests and connections that were refused by rules or limits before anything was done for them, by HTTP status. */
export class RefusalCounts {
  readonly #counts = new Map<number, number>();

  note(status: number): void {
    this.#counts.set(status, this.of(status) + 1);
  }

  /** Since the start. */
  of(status: number): number {
    return this.#counts.get(status) ?? 0;
  }
}

/** Limits shared by the connections of all listeners. */
export interface ConnectionBudget {
  /** Open connections. */
  readonly connections: Allowance;
  /** Bytes of incoming, incomplete bodies. */
  readonly bodies: Allowance;
  readonly unsent: UnsentBytes;
  readonly times: ClientTimes;
  readonly slice: TimeSlice;
  /** Absent = refusals are not counted. */
  readonly refusals?: RefusalCounts;
}
