import type { Json, Shape } from "../../protocol/codec/json/schema.ts";
import type { Api, Client, Method } from "../rpc/method.ts";

/** Sends one call and resolves with its result. @throws RpcRequestError */
export type Request = (method: string, params: readonly Json[]) => Promise<Json>;

/** An error that the node answered. */
export class RpcRequestError extends Error {
  override name = "RpcRequestError";
  /** JSON-RPC number: -32602 for wrong arguments, 3 for a reverted call, … */
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Positional arguments of a call; optional ones at the end are left out. */
export function encodeArguments(params: Shape, args: Readonly<Record<string, unknown>>): Json[] {
  const values = Object.entries(params).map(([name, { schema }]) =>
    args[name] === undefined ? undefined : schema.encode(args[name]),
  );
  const last = values.findLastIndex((value) => value !== undefined);
  return values.slice(0, last + 1).map((value) => value ?? null);
}

/**
 * A client whose methods, argument names and types come from the declarations alone: arguments are encoded and results
 * decoded by the same schemas as in the node.
 *
 * @example
 * const node = createClient(api, httpRequest("http://127.0.0.1:8551"));
 * const balance = await node.kaia_getBalance({ address, block: { number: "latest" } });
 */
export function createClient<A extends Api>(declarations: A, request: Request): Client<A> {
  const methods = Object.entries(declarations).map(([name, declaration]) => {
    const { params, result } = declaration as Method;
    return [
      name,
      async (args: Readonly<Record<string, unknown>> = {}) =>
        result.decode(await request(name, encodeArguments(params, args))),
    ];
  });
  return Object.fromEntries(methods) as Client<A>;
}
