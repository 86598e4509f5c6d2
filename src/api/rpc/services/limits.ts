/** How much one caller may ask for at once. */
export interface RpcLimits {
  /** Bytes of a request over HTTP or WebSocket. */
  readonly body: number;
  /** Elements of a batch; 0 = any number. */
  readonly batchItems: number;
  /** UTF-16 units of all answers to a batch together; 0 = any number. */
  readonly batchAnswer: number;
  /** Subscriptions of one connection. */
  readonly subscriptions: number;
}

/** Bodies and batches as geth limits them; subscriptions as the reference node v2.2.1 does. */
export const DEFAULT_LIMITS: RpcLimits = {
  body: 5 * 1024 * 1024,
  batchItems: 1000,
  batchAnswer: 25_000_000,
  subscriptions: 3000,
};
