import type { Schema, Shape, ShapeType } from "../../protocol/codec/json/schema.ts";

/** Where a method may run: `state` also on a read-only worker, `node` on the main thread, `keys` on the main thread with wallets. */
export type Scope = "state" | "node" | "keys";

export interface Method<P extends Shape = Shape, R = unknown> {
  readonly summary: string;
  readonly params: P;
  readonly result: Schema<R>;
  readonly scope: Scope;
  readonly unsafe?: boolean;
}

export function method<const P extends Shape, R>(declaration: Method<P, R>): Method<P, R> {
  return declaration;
}

// biome-ignore lint/suspicious/noExplicitAny: any method fits
export type Api = Record<string, Method<any, any>>;

/** Named arguments of a method: what the client passes and the handler receives. */
export type Args<M> = M extends Method<infer P, unknown> ? ShapeType<P> : never;
export type Result<M> = M extends Method<Shape, infer R> ? R : never;

export type Handlers<A extends Api> = {
  [K in keyof A]: (args: Args<A[K]>, signal: AbortSignal) => Promise<Result<A[K]>>;
};
export type Client<A extends Api> = { [K in keyof A]: (args: Args<A[K]>) => Promise<Result<A[K]>> };
