/** Limits per caller. */
export interface RpcLimits {
  /** Bytes of a request over HTTP or WebSocket. */
  readonly body: number;
  /** Maximum elements of a batch; 0 = no limit. */
  readonly batchItems: number;
  /** Maximum UTF-16 units of the response to a batch; 0 = no limit. */
  readonly batchAnswer: number;
  /** Maximum subscriptions of one connection. */
  readonly subscriptions: number;
  /** Bytes buffered for a WebSocket beyond which it is closed with 1008. A single message may be larger. */
  readonly backlog: number;
}

/** Limits of a log search. */
export interface LogLimits {
  /** Maximum distance between the first and the last block of a range; 0 = no limit. */
  readonly range: number;
  /** Maximum number of logs in a response; 0 = no limit, as long as their text fits into a response. */
  readonly items: number;
  /** Time limit of a search in milliseconds. */
  readonly timeMs: number;
}

/** Limits of a request for traces. */
export interface TraceLimits {
  /** Milliseconds of the request, and of the trace of one transaction, whatever the caller requests. */
  readonly timeMs: number;
  /** Characters of all its traces together. */
  readonly characters: number;
}

/** The limits of traces where no others are given: their output is as long as any other response. */
export const DEFAULT_TRACE_LIMITS: TraceLimits = { timeMs: 30_000, characters: 100_000_000 };

/** The limits of reference node v2.2.1, which does not bound the range. */
export const DEFAULT_LOG_LIMITS: LogLimits = { range: 0, items: 10_000, timeMs: 10_000 };

/** Bodies and batches as geth limits them; subscriptions as the reference node v2.2.1 does. */
export const DEFAULT_LIMITS: RpcLimits = {
  body: 5 * 1024 * 1024,
  batchItems: 1000,
  batchAnswer: 25_000_000,
  subscriptions: 3000,
  backlog: 16 * 1024 * 1024,
};
