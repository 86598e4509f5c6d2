import { EventEmitter } from "node:events";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { RpcError, toErrorObject } from "../engine/errors.ts";
import { type Access, encodedText } from "../engine/registry.ts";
import type { RpcServer } from "../engine/server.ts";
import { createPushSession } from "../engine/session.ts";
import { JsonText, type Text } from "../spec/values/json-text.ts";

/** An EIP-1193 provider. @see https://eips.ethereum.org/EIPS/eip-1193 */
export interface Provider {
  /** @throws ProviderError with `code` and `data` of the JSON-RPC error */
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
  on(event: "message", listener: (message: ProviderMessage) => void): void;
  removeListener(event: "message", listener: (message: ProviderMessage) => void): void;
}

/** An event of a subscription. */
export interface ProviderMessage {
  /** `eth_subscription` */
  readonly type: string;
  readonly data: { readonly subscription: string; readonly result: unknown };
}

/** The rejection of a request; `code` is the JSON-RPC number. */
export interface ProviderError extends Error {
  readonly code: number;
  readonly data?: unknown;
}

/** EIP-1193: the provider is disconnected from all chains. */
const DISCONNECTED = 4900;

/** A provider that calls the node in the same process, without a socket. Arguments and results are JSON values. */
export function createProvider(server: RpcServer, access: Access, signal: AbortSignal): Provider {
  const events = new EventEmitter();
  const session = createPushSession(access, signal, { send: emit, cutOff: () => {} }, server);
  function emit(text: Text): void {
    const { method, params } = JSON.parse(String(text)) as {
      method: string;
      params: ProviderMessage["data"];
    };
    events.emit("message", { type: method, data: params });
  }
  return {
    async request({ method, params }) {
      try {
        if (signal.aborted) throw new RpcError(DISCONNECTED, "the node has been stopped");
        const result = await server.call(method, params as Json | undefined, session);
        return result instanceof JsonText ? JSON.parse(String(result.text)) : result;
      } catch (error) {
        throw providerError(error);
      } finally {
        // The caller learns the id first: its continuation runs before events that are sent from here on.
        queueMicrotask(() => session.subscriptions.release());
      }
    },
    on: (event, listener) => void events.on(event, listener),
    removeListener: (event, listener) => void events.off(event, listener),
  };
}

/** Calls the node in the same process. @returns results as JSON text */
export function createTextSource(
  server: RpcServer,
  access: Access,
  signal: AbortSignal,
): (method: string, params: readonly Json[]) => Promise<Text> {
  const session = createPushSession(access, signal, { send: () => {}, cutOff: () => {} }, server);
  return async (method, params) => {
    if (signal.aborted) throw new RpcError(DISCONNECTED, "the node has been stopped");
    return encodedText(await server.call(method, [...params], session));
  };
}

function providerError(cause: unknown): ProviderError {
  const { code, message, data } = toErrorObject(cause);
  const error = new Error(message, { cause });
  if (cause instanceof RpcError) error.name = cause.name;
  return Object.assign(error, data === undefined ? { code } : { code, data });
}

/** @throws the original error behind a provider's error, so that it is mapped to a response again */
export function rethrowCause(error: Error): never {
  throw error.cause;
}
