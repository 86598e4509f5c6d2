import type { Json } from "../../../protocol/codec/json/value.ts";
import { type Arguments, decodeArguments, positional } from "./arguments.ts";
import type { RpcMessage } from "./jsonrpc.ts";
import type { Access, BoundMethod } from "./registry.ts";

/** Calls of a batch that are prepared together: recovering the signers of as many transactions takes some 3 ms. */
export const PREPARE_CHUNK = 64;

/**
 * Lets methods prepare for their calls in a batch, where preparing many at once is cheaper. Each call is still answered in order,
 * as if nothing had been prepared, and reports its own errors.
 */
export class BatchPreparation {
  /** Arguments that were decoded ahead, by what the caller sent. */
  readonly #decoded = new WeakMap<object, Arguments>();

  /** The arguments of a call. @throws InvalidParamsError */
  argumentsOf(bound: BoundMethod, params: Json | undefined): Arguments {
    return (bound.prepareBatch && this.#decoded.get(params as object)) ?? decoded(bound, params);
  }

  /**
   * Lets the methods of these calls prepare.
   * @returns a promise where there is something to wait for; it never rejects
   */
  prepare(messages: readonly RpcMessage[], { methods }: Access): Promise<unknown> | undefined {
    let calls: Map<BoundMethod, Arguments[]> | undefined;
    for (const { method, params } of messages) {
      const bound = methods.get(method);
      if (bound?.prepareBatch === undefined || !Array.isArray(params) || this.#decoded.has(params)) continue;
      calls ??= new Map();
      const ahead = calls.get(bound) ?? [];
      calls.set(bound, ahead);
      try {
        const args = decoded(bound, params);
        this.#decoded.set(params, args);
        ahead.push(args);
      } catch {
        // The call itself reports the error.
      }
    }
    if (calls === undefined) return undefined;
    return Promise.allSettled([...calls].map(([{ prepareBatch }, ahead]) => prepareBatch?.(ahead)));
  }
}

function decoded({ declaration, parameters }: BoundMethod, params: Json | undefined): Arguments {
  const values = positional(params);
  return decodeArguments(parameters, declaration.normalize?.(values) ?? values);
}
