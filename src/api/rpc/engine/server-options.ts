import type { Counter } from "../../../platform/telemetry/metrics.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import type { RpcBudget } from "../services/budget.ts";
import type { RpcLimits } from "../services/limits.ts";
import type { RateLimit } from "../services/rate-limit.ts";
import type { Text } from "../spec/values/json-text.ts";
import type { TokenCheck } from "../transports/token-check.ts";
import type { BoundMethod, Encoded } from "./registry.ts";
import type { Session } from "./session.ts";

/**
 * Called with every error that is a defect of the node rather than the caller's fault.
 * @param request - number of the call, which its caller may have received too; absent if it was not a call
 */
export type DefectListener = (method: string, error: unknown, request?: number) => void;

/** An answered call for the log. */
export interface FinishedCall {
  /** Counts the calls of the node. */
  readonly request: number;
  readonly method: string;
  /** Fractions of milliseconds from its beginning. */
  readonly ms: number;
  /** JSON-RPC code of its error; absent on success. */
  readonly code?: number;
}

/** Receives answered calls. */
export interface CallLog {
  /** Checked at the end of each call. */
  readonly isOn: boolean;
  answered(call: FinishedCall): void;
}

/** Counts calls and their outcomes. */
export interface CallCounts {
  /** A call begins. */
  begun(): void;
  /**
   * It has been answered.
   * @param method - undefined for an unknown method
   * @param code - of its error; absent on success
   */
  ended(method: string | undefined, durationMs: number, code?: number): void;
  /** A message without a valid call, or a batch, is refused as a whole. @param code - of the error */
  refused(code: number): void;
  readonly subscribed: Counter;
  readonly unsubscribed: Counter;
  /** Calls refused by the rate limit. */
  readonly limited: Counter;
  /** Open WebSocket connections. */
  readonly connections: Counter;
}

/** The response to a request text; empty if no response is due. */
export type ResponseText = Text | Promise<Text>;

/**
 * Intercepts every call: answers it itself or passes it on to the node.
 * @param own - calls the node's own method, with the given arguments or else the caller's
 */
export type CallInterceptor = (
  name: string,
  params: Json | undefined,
  own: (params?: Json) => Encoded | Promise<Encoded>,
  bound: BoundMethod | undefined,
) => Encoded | Promise<Encoded>;

/** Observes every call while there are watchers. */
export interface CallObserver {
  /** Whether there are any; checked before each call. */
  readonly isWatched: boolean;
  /** A call begins. @param bound - undefined for an unknown method */
  begin(name: string, params: Json | undefined, bound: BoundMethod | undefined): ObservedCall;
}

/** An observed call. */
export interface ObservedCall {
  /** Present if the call may write to the console. */
  readonly onConsole?: Session["onConsole"];
  /** @param failure - its error; absent on success */
  end(failure?: { readonly error: unknown }): void;
}

/** Hooks, counters and limits of a server. */
export interface ServerOptions {
  /** Asked before each call for the interceptor that applies to it, if any; `bound` is undefined for an unknown method. */
  readonly interceptor?: ((bound: BoundMethod | undefined) => CallInterceptor | undefined) | undefined;
  readonly counts?: CallCounts | undefined;
  readonly observer?: CallObserver | undefined;
  readonly log?: CallLog | undefined;
  /** Whether errors include the number of their call, `data.requestId`, unless their data is not an object. */
  readonly showsRequestIds?: boolean | undefined;
  /** Error texts that replace those of reference node v2.2.1. */
  readonly phrases?: ReadonlyMap<string, string>;
  readonly limits?: Partial<RpcLimits> | undefined;
  /** Shared with all other services of the node. */
  readonly budget?: RpcBudget | undefined;
  /** Token check for callers over HTTP and WebSocket; absent = no token needed. */
  readonly token?: TokenCheck | undefined;
  /** Rate limit per client over HTTP and WebSocket; absent = unlimited. */
  readonly rate?: RateLimit | undefined;
}
