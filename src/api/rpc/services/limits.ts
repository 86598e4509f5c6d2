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

/** The limits of reference node v2.2.1, which does not bound the range. */
export const DEFAULT_LOG_LIMITS: LogLimits = { range: 0, items: 10_000, timeMs: 10_000 };

/** Bodies and batches as geth limits them; subscriptions as the reference node v2.2.1 does. */
export const DEFAULT_LIMITS: RpcLimits = {
  body: 5 * 1024 * 1024,
  batchItems: 1000,
  batchAnswer: 25_000_000,
  subscriptions: 3000,
};
