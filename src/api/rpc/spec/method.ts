import type { Json, Schema, Shape, ShapeType } from "../../../protocol/codec/json/schema.ts";
import type { BlockRange } from "./block-range.ts";
import type { JsonText } from "./values/json-text.ts";

/**
 * What a method accesses. Who may call it and what waits for a block follow from this alone; what a fork requests upstream, from
 * this and from what the schemas of the parameters denote (`references.ts`), whatever their names:
 * - `chain`: blocks, transactions and what follows from them, or nothing at all
 * - `state`: accounts as they are after a block; a fork's own ones from its first block on
 * - `send`: adds transactions to the pool, signed by a wallet if needed
 * - `keys`: wallets
 * - `node`: the node as it is now
 * - `host`: the machine: a file, a path, a listener, a profile of the process; only over IPC and in the process
 */
export type Scope = "chain" | "state" | "send" | "keys" | "node" | "host";

/** A call with its result, as on the wire. */
export interface Example {
  readonly params: readonly Json[];
  readonly result: Json;
}

/** A documented error of a method. */
export interface DeclaredError {
  readonly code: number;
  /** Text of the error; a description where it varies. */
  readonly message: string;
}

/** A JSON-RPC method as data; everything else derives from it. */
export interface Method<P extends Shape = Shape, R = unknown> {
  readonly summary: string;
  readonly params: P;
  readonly result: Schema<R>;
  readonly scope: Scope;
  /** Unavailable outside IPC when unsafe debugging is disabled. */
  readonly unsafe?: boolean;
  /** Arguments and the result on a fresh development chain; checked by a test. */
  readonly example?: Example;
  /** Errors besides invalid arguments. */
  readonly errors?: readonly DeclaredError[];
  /**
   * The blocks that a call is about, where they are a range that two nodes may have a part of each.
   * @param latest - number of the newest block
   * @returns undefined for arguments that name no range
   */
  blocks?(args: ShapeType<P>, latest: bigint): BlockRange | undefined;
  /** Converts an older or alternative form of the positional arguments to the declared one. */
  readonly normalize?: (params: readonly Json[]) => readonly Json[];
}

/** Declares a method. */
export function method<const P extends Shape, R>(declaration: Method<P, R>): Method<P, R> {
  return declaration;
}

/** A subscription as data: its arguments after the name, and its events. */
export interface Subscription<P extends Shape = Shape, E = unknown> {
  readonly summary: string;
  readonly params: P;
  readonly event: Schema<E>;
  /** Live events, equal for equal arguments, and therefore built once for all subscribers. */
  readonly live?: boolean;
  /** Unavailable outside IPC when unsafe debugging is disabled. */
  readonly unsafe?: boolean;
}

/** Declares a subscription. */
export function subscription<const P extends Shape, E>(declaration: Subscription<P, E>): Subscription<P, E> {
  return declaration;
}

/** Declarations of methods, by name. */
// biome-ignore lint/suspicious/noExplicitAny: any method fits
export type Api = Record<string, Method<any, any>>;
/** Declarations of subscriptions, by name. */
// biome-ignore lint/suspicious/noExplicitAny: any subscription fits
export type SubscriptionApi = Record<string, Subscription<any, any>>;

/** Groups of methods, by namespace and by the name of the group. */
export type Namespaces = Readonly<Record<string, Readonly<Record<string, Api>>>>;

type NameIn<A> = A extends unknown ? keyof A & string : never;
type MethodIn<A, K extends string> = A extends { readonly [Key in K]: infer M } ? M : never;

/** The declarations of groups under their full names in a namespace. */
export type Mounted<N extends string, G> = {
  [K in NameIn<G[keyof G]> as `${N}_${K}`]: MethodIn<G[keyof G], K>;
};

/** The declarations of all namespaces under their full names. */
export type AllMounted<S> = {
  [Full in { [N in keyof S & string]: keyof Mounted<N, S[N]> }[keyof S & string]]: {
    [N in keyof S & string]: Full extends keyof Mounted<N, S[N]> ? Mounted<N, S[N]>[Full] : never;
  }[keyof S & string];
};

/** Mounts groups of declarations in a namespace: `getBalance` becomes `eth_getBalance`. */
export function mountGroups<const N extends string, G extends Namespaces[string]>(
  namespace: N,
  groups: G,
): Mounted<N, G> {
  const methods = Object.values(groups).flatMap((group) => Object.entries(group));
  return Object.fromEntries(
    methods.map(([name, declaration]) => [`${namespace}_${name}`, declaration]),
  ) as Mounted<N, G>;
}

/** Mounts all groups in their namespaces. */
export function mountNamespaces<S extends Namespaces>(namespaces: S): AllMounted<S> {
  const all = Object.entries(namespaces).map(([name, groups]) => mountGroups(name, groups));
  return Object.assign({}, ...all);
}

/** Named arguments of a method: what the client passes and the handler receives. */
export type Args<M> = M extends { readonly params: infer P extends Shape } ? ShapeType<P> : never;
/** What the handler of a method returns. */
export type Result<M> = M extends Method<Shape, infer R> ? R : never;
/** What the handler of a subscription emits. */
export type Event<S> = S extends Subscription<Shape, infer E> ? E : never;

/** What a caller may use, by full name. */
export interface Served {
  /** Names of the modules, sorted. */
  readonly modules: readonly string[];
  readonly methods: ReadonlyMap<string, { readonly declaration: Method }>;
  /** By namespace and name, joined by a space. */
  readonly subscriptions: ReadonlyMap<string, { readonly declaration: Subscription }>;
  /** Whether the caller is this process or uses its IPC socket, rather than a port. */
  readonly local?: boolean;
  /** Whether `unsafe` methods, and unsafe features of others, are available; true by default. */
  readonly unsafe?: boolean;
}

/** What a handler may know about its caller. */
export interface CallContext {
  /**
   * Aborted when the client disconnects before the response, or the node stops. Created on demand: do not copy the
   * context.
   */
  readonly signal: AbortSignal;
  readonly access: Served;
  /** Shared by all calls of one connection; absent = the signal. */
  readonly connection?: object | undefined;
  /** Address of the client, without port; absent if it has none. */
  readonly address?: string | undefined;
  /** Execution time used so far by a batch; absent if the request is not part of one. */
  readonly allowance?: BatchAllowance | undefined;
  /** Called with what a call wrote to the console, as inputs of `console.sol`; absent without watchers. */
  readonly onConsole?: ((inputs: readonly Uint8Array[]) => void) | undefined;
}

/** A caller in a queue. */
export type QueuedCaller = Pick<CallContext, "signal" | "connection" | "address"> & {
  readonly access?: Pick<Served, "local"> | undefined;
};

/** Execution time shared by the requests of a batch. */
export interface BatchAllowance {
  spentMs: number;
}

/** The result of a handler: the value, or its JSON text. */
type Answered<R> = R | JsonText;

/** One function for each method of a group; what it throws or rejects with becomes the error response. */
export type Handlers<A extends Api> = {
  [K in keyof A]: (
    args: Args<A[K]>,
    context: CallContext,
  ) => Answered<Result<A[K]>> | Promise<Answered<Result<A[K]>>>;
};

/**
 * A handler that can prepare for several calls of a batch at once. Each call is still answered on its own; a failed preparation
 * has no effect.
 */
export interface BatchPreparing<A, R> {
  (args: A, context: CallContext): R;
  readonly prepareBatch: (args: readonly A[]) => Promise<void>;
}

/** Creates such a handler. */
export function withBatchPreparation<A, R>(
  handler: (args: A, context: CallContext) => R,
  prepareBatch: (args: readonly A[]) => Promise<void>,
): BatchPreparing<A, R> {
  return Object.assign(handler, { prepareBatch });
}

type GroupName<S extends Namespaces> = { [N in keyof S]: keyof S[N] & string }[keyof S];
type GroupNamed<S extends Namespaces, G> = {
  [N in keyof S]: G extends keyof S[N] ? S[N][G] : never;
}[keyof S];
type HandlersOf<A> = A extends Api ? Handlers<A> : never;

/**
 * The handlers of groups by name, or a function that returns those of one namespace where the namespaces differ.
 * Undefined for a group that this node does not serve.
 */
export type GroupHandlers<S extends Namespaces> = {
  readonly [G in GroupName<S>]:
    | HandlersOf<GroupNamed<S, G>>
    | ((namespace: keyof S & string) => HandlersOf<GroupNamed<S, G>>)
    | undefined;
};

/** Starts a subscription and returns the function that ends it. `lose` cuts off those whose events would not be whole. */
export type SubscriptionHandlers<A extends SubscriptionApi> = {
  [K in keyof A]: (
    args: Args<A[K]>,
    emit: (event: Answered<Event<A[K]>>) => void,
    lose: () => void,
  ) => () => void;
};
