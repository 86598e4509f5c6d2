import type { Field, Json, Shape } from "../../protocol/codec/json/schema.ts";
import type { Api, Args, Method, Result } from "../rpc/spec/method.ts";
import { type BlockNumber, type BlockRef, blockNumber, blockRef } from "../rpc/spec/values/block-ref.ts";

/** Sends one call and resolves with its result. @throws RpcRequestError */
export type SendRequest = (method: string, params: readonly Json[]) => Promise<Json>;

/** An error response of the node. */
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

/** Names of the arguments that are blocks: they may be omitted. */
type BlockKeys<T> = {
  [K in keyof T]-?: T[K] extends BlockRef | BlockNumber
    ? BlockRef extends T[K]
      ? K
      : BlockNumber extends T[K]
        ? K
        : never
    : never;
}[keyof T];

/** Named arguments as a caller writes them: an omitted block is the latest one. */
export type CallArgs<M> = Omit<Args<M>, BlockKeys<Args<M>>> & Partial<Pick<Args<M>, BlockKeys<Args<M>>>>;

/** The methods of declarations, each with its named arguments; none if all may be omitted. */
export type Client<A extends Api> = {
  [K in keyof A]: Record<string, never> extends CallArgs<A[K]>
    ? (args?: CallArgs<A[K]>) => Promise<Result<A[K]>>
    : (args: CallArgs<A[K]>) => Promise<Result<A[K]>>;
};

/** The default of an omitted argument: `latest` for a required block, nothing for anything else. */
export function absentArgument({ schema, optional }: Field<unknown>): Json | undefined {
  const isBlock = schema === (blockRef as unknown) || schema === (blockNumber as unknown);
  return isBlock && !optional ? "latest" : undefined;
}

/** Positional arguments of a call; trailing optional ones are omitted. */
export function encodeArguments(params: Shape, args: Readonly<Record<string, unknown>>): Json[] {
  const values = Object.entries(params).map(([name, field]) =>
    args[name] === undefined ? absentArgument(field) : field.schema.encode(args[name]),
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
 * const balance = await node.kaia_getBalance({ address });
 */
export function createClient<A extends Api>(declarations: A, request: SendRequest): Client<A> {
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
