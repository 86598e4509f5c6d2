import type { Json, Schema, Shape, ShapeType } from "../../../protocol/codec/json/schema.ts";
import type { JsonText } from "./values/json-text.ts";

/**
 * What a method reaches. Who may call it, what a fork asks its origin for and what waits for a block follow from this alone:
 * - `chain`: blocks, transactions and what follows from them, or nothing at all
 * - `state`: accounts as they are after a block; a fork's own ones from its first block on
 * - `send`: the pool, to which it adds transactions, signed by a wallet where they need it
 * - `keys`: wallets
 * - `node`: the node as it is now
 * - `host`: the machine: a file, a path, a listener, a profile of the process; only over IPC and in the process
 */
export type Scope = "chain" | "state" | "send" | "keys" | "node" | "host";

/** A call with its answer, as on the wire. */
export interface Example {
  readonly params: readonly Json[];
  readonly result: Json;
}

/** An error that a method is known for. */
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
  /** Refused outside of IPC when unsafe debugging is disabled. */
  readonly unsafe?: boolean;
  /** Arguments and what a fresh development chain answers to them; checked by a test. */
  readonly example?: Example;
  /** What may go wrong besides wrong arguments. */
  readonly errors?: readonly DeclaredError[];
  /** Rewrites an older or second form of the positional arguments into the declared one. */
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
  /** Events of the moment, the same for all who ask alike, and so made once for them all. */
  readonly live?: boolean;
  /** Refused outside of IPC when unsafe debugging is disabled. */
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

/** The declarations of groups under the full names that they have in a namespace. */
export type Mounted<N extends string, G> = {
  [K in NameIn<G[keyof G]> as `${N}_${K}`]: MethodIn<G[keyof G], K>;
};

/** The declarations of all namespaces under their full names. */
export type AllMounted<S> = {
  [Full in { [N in keyof S & string]: keyof Mounted<N, S[N]> }[keyof S & string]]: {
    [N in keyof S & string]: Full extends keyof Mounted<N, S[N]> ? Mounted<N, S[N]>[Full] : never;
  }[keyof S & string];
};

/** Gives groups of declarations a namespace: `getBalance` becomes `eth_getBalance`. */
export function mountGroups<const N extends string, G extends Namespaces[string]>(
  namespace: N,
  groups: G,
): Mounted<N, G> {
  const methods = Object.values(groups).flatMap((group) => Object.entries(group));
  return Object.fromEntries(
    methods.map(([name, declaration]) => [`${namespace}_${name}`, declaration]),
  ) as Mounted<N, G>;
}

/** Gives all groups their namespaces. */
export function mountNamespaces<S extends Namespaces>(namespaces: S): AllMounted<S> {
  const all = Object.entries(namespaces).map(([name, groups]) => mountGroups(name, groups));
  return Object.assign({}, ...all);
}

/** Named arguments of a method: what the client passes and the handler receives. */
export type Args<M> = M extends { readonly params: infer P extends Shape } ? ShapeType<P> : never;
/** What the handler of a method gives. */
export type Result<M> = M extends Method<Shape, infer R> ? R : never;
/** What the handler of a subscription emits. */
export type Event<S> = S extends Subscription<Shape, infer E> ? E : never;

/** What a caller may use, by full names. */
export interface Served {
  /** Names of the modules, sorted. */
  readonly modules: readonly string[];
  readonly methods: ReadonlyMap<string, { readonly declaration: Method }>;
  /** By namespace and name, joined by a blank. */
  readonly subscriptions: ReadonlyMap<string, { readonly declaration: Subscription }>;
  /** Whether the caller is this process or has its IPC socket, and did not just find a port. */
  readonly local?: boolean;
  /** Whether `unsafe` methods answer, and others do what is unsafe of them; so unless it is false. */
  readonly unsafe?: boolean;
}

/** What a handler may know about its caller. */
export interface CallContext {
  /** Aborted when the client leaves before its answer, or the node stops. Made when asked for: do not copy the context. */
  readonly signal: AbortSignal;
  readonly access: Served;
  /** What all calls of one connection share; absent where that is the signal. */
  readonly connection?: object | undefined;
  /** Of the client, without port; absent where it has none. */
  readonly address?: string | undefined;
  /** What executing took so far of the time that a batch has; absent where the request is no part of one. */
  readonly allowance?: Allowance | undefined;
  /** Told what a call wrote to the console, as inputs of `console.sol`; absent where nobody wants to know. */
  readonly onConsole?: ((inputs: readonly Uint8Array[]) => void) | undefined;
}

/** What a call needs to wait for its turn. */
export type Asker = Pick<CallContext, "signal" | "connection" | "address"> & {
  readonly access?: Pick<Served, "local"> | undefined;
};

/** Time that the requests of a batch share. */
export interface Allowance {
  spentMs: number;
}

/** What a handler gives: the value, or the JSON text of it. */
type Answered<R> = R | JsonText;

/** One function for each method of a group; what it throws or rejects with is the answer to the caller. */
export type Handlers<A extends Api> = {
  [K in keyof A]: (
    args: Args<A[K]>,
    context: CallContext,
  ) => Answered<Result<A[K]>> | Promise<Answered<Result<A[K]>>>;
};

type GroupName<S extends Namespaces> = { [N in keyof S]: keyof S[N] & string }[keyof S];
type GroupNamed<S extends Namespaces, G> = {
  [N in keyof S]: G extends keyof S[N] ? S[N][G] : never;
}[keyof S];
type HandlersOf<A> = A extends Api ? Handlers<A> : never;

/**
 * The handlers of groups by their names, or a function that makes those of one namespace where the namespaces differ.
 * A group that this node does not serve is undefined.
 */
export type GroupHandlers<S extends Namespaces> = {
  readonly [G in GroupName<S>]:
    | HandlersOf<GroupNamed<S, G>>
    | ((namespace: keyof S & string) => HandlersOf<GroupNamed<S, G>>)
    | undefined;
};

/** Starts a subscription and returns the function that ends it. */
export type SubscriptionHandlers<A extends SubscriptionApi> = {
  [K in keyof A]: (args: Args<A[K]>, emit: (event: Answered<Event<A[K]>>) => void) => () => void;
};
