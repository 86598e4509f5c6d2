import { decodeArguments, positional } from "../../../api/rpc/engine/arguments.ts";
import { refused } from "../../../api/rpc/engine/errors.ts";
import { type BoundMethod, type Encoded, namespaceOf } from "../../../api/rpc/engine/registry.ts";
import type { CallInterceptor } from "../../../api/rpc/engine/server-options.ts";
import { valueText } from "../../../api/rpc/engine/text/value-text.ts";
import { type BlockRange, JoinError } from "../../../api/rpc/spec/block-range.ts";
import { isChainName } from "../../../api/rpc/spec/chain-names.ts";
import type { Scope } from "../../../api/rpc/spec/method.ts";
import { type Reference, referencesOf, valueAt, withValueAt } from "../../../api/rpc/spec/references.ts";
import { type BlockRef, encodeNumber } from "../../../api/rpc/spec/values/block-ref.ts";
import { isExact } from "../../../api/rpc/spec/values/exact-json.ts";
import { JsonText } from "../../../api/rpc/spec/values/json-text.ts";
import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import { MissingState, retryUntilLoadedAsync } from "../../../ledger/state/missing-state.ts";
import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import { runPaced } from "../../../platform/runtime/turns/pace.ts";
import { parseJson } from "../../../protocol/codec/json/parse.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import type { Hash } from "../../../protocol/primitives/bytes.ts";
import { AccessHints, type DeclaredCall } from "./access-hints.ts";
import { ForkError } from "./errors.ts";
import type { RemoteChain } from "./open-fork.ts";

/** What reading through a fork needs. */
export interface ReadThroughParts {
  readonly fork: RemoteChain;
  readonly chain: Pick<Blockchain, "head" | "number" | "locate" | "transactionHashBySender">;
  readonly pool: Pick<TransactionPool, "get">;
}

/** Scopes that the remote node may answer for this one. */
const READS: ReadonlySet<Scope> = new Set(["chain", "state"]);

type Own = Parameters<CallInterceptor>[2];

/**
 * Intercepts the calls on a forked chain. Calls about blocks up to the fork point, or about transactions unknown here, are
 * answered verbatim by the remote node; this node answers the rest, retrying until all the state they read has been fetched.
 * Which blocks a call is about follows from the declaration of its method: its scope, and what its parameters denote.
 */
export function readThrough(parts: ReadThroughParts): CallInterceptor {
  const reader = new ReadThrough(parts);
  return (name, params, own, bound) => reader.answer(name, params, own, bound);
}

class ReadThrough {
  readonly #fork: RemoteChain;
  readonly #chain: ReadThroughParts["chain"];
  readonly #pool: ReadThroughParts["pool"];
  readonly #hints: AccessHints;

  constructor({ fork, chain, pool }: ReadThroughParts) {
    this.#fork = fork;
    this.#hints = new AccessHints(fork);
    this.#chain = chain;
    this.#pool = pool;
  }

  answer(
    name: string,
    params: Json | undefined,
    own: Own,
    bound: BoundMethod | undefined,
  ): Encoded | Promise<Encoded> {
    const { declaration } = bound ?? {};
    if (bound === undefined || declaration === undefined) return retryUntilLoadedAsync(() => own());
    const { scope } = declaration;
    if (!READS.has(scope) && scope !== "send") return retryUntilLoadedAsync(() => own());
    const given = positional(params);
    const values = declaration.normalize?.(given) ?? given;
    const call = { name, declaration, values, args: decodeArguments(bound.parameters, values) };
    if (scope === "send") return this.#send(call, own);
    const range = declaration.blocks?.(call.args, this.#head);
    return (range === undefined ? this.#remote(call) : this.#range(call, range, own)) ?? this.#own(call, own);
  }

  get #head(): bigint {
    return this.#chain.head.header.number;
  }

  /** Adds a transaction to the pool; the state it will read is prefetched in few requests. */
  async #send(call: DeclaredCall, own: Own): Promise<Encoded> {
    await this.#hints.ofTransactions(call);
    return retryUntilLoadedAsync(() => own());
  }

  /** This node's answer; once state is found missing, the rest is prefetched in few requests where it can be predicted. */
  async #own(call: DeclaredCall, own: Own): Promise<Encoded> {
    try {
      return await own();
    } catch (error) {
      if (!(error instanceof MissingState)) throw error;
      await Promise.all([error.load(), this.#hints.ofCalls(call)]);
      return retryUntilLoadedAsync(() => own());
    }
  }

  /**
   * The remote node's answer, if the call is for it.
   * @throws RpcError -32000 for a call about blocks before and after the fork point
   */
  #remote(call: DeclaredCall): Promise<Encoded> | undefined {
    const { number: fork } = this.#fork.point;
    const { params, scope } = call.declaration;
    const places = referencesOf(params, "block", "hash");
    const named = places.flatMap((place) => this.#numberAt(call, place) ?? []);
    // A block that is the only one and was left out is the latest.
    const [sole] = places;
    if (named.length === 0 && places.length === 1 && sole?.optional)
      named.push({ place: sole, number: "tag" });
    const numbers = named.map(({ number }) => (number === "tag" ? this.#head : number));
    // The state after the fork point is this node's, which may have changed it; the block itself is the remote chain's.
    const isThere = (number: bigint): boolean => (scope === "state" ? number < fork : number <= fork);
    if (!numbers.some(isThere)) return undefined;
    if (numbers.some((number) => number > fork)) return this.#across(numbers);
    const tags = named.filter(({ number }) => number === "tag");
    const atFork = encodeNumber(fork);
    return this.#forward(
      call,
      tags.reduce((values, { place }) => withValueAt(values, place, atFork), call.values),
    );
  }

  /** The block that a place refers to; a negative number stands for what only the remote chain can have. */
  #numberAt(
    { args }: DeclaredCall,
    place: Reference,
  ): { place: Reference; number: bigint | "tag" } | undefined {
    const value = valueAt(args, place);
    if (value === undefined) return undefined;
    const ref = (value instanceof Uint8Array ? { hash: value } : refOf(value)) as BlockRef;
    if (ref.hash !== undefined) return { place, number: this.#numberOf(ref.hash) };
    if (ref.number === undefined) return undefined;
    return { place, number: typeof ref.number === "bigint" ? ref.number : "tag" };
  }

  /** Number of the block with this hash; after all blocks for another hash that is known here. */
  #numberOf(hash: Hash): bigint {
    const number = this.#chain.number(hash);
    if (number !== undefined) return number;
    const isOwn =
      this.#chain.locate(hash) !== undefined ||
      this.#chain.transactionHashBySender(hash) !== undefined ||
      this.#pool.get(hash) !== undefined;
    return isOwn ? this.#head + 1n : -1n;
  }

  /** Only the fork point itself is a block of both: what begins there can be answered here. */
  #across(numbers: readonly bigint[]): undefined {
    const { number: fork } = this.#fork.point;
    if (numbers.every((number) => number >= fork)) return undefined;
    throw this.#refused();
  }

  #refused(): Error {
    const { number: fork } = this.#fork.point;
    return refused(
      `blocks up to ${fork} are on the forked chain: ask for them and for later ones separately`,
    );
  }

  /** A call about a range of blocks: each node answers for its own. */
  #range(call: DeclaredCall, range: BlockRange, own: Own): Promise<Encoded> | undefined {
    const { number: fork } = this.#fork.point;
    const { first, last } = range;
    if (last <= fork) return this.#forward(call, range.within(call.values, first, last));
    if (first > fork) return undefined;
    if (range.join === undefined) throw this.#refused();
    return this.#joined(call, range, own);
  }

  async #joined(call: DeclaredCall, range: BlockRange, own: Own): Promise<Encoded> {
    const { number: fork } = this.#fork.point;
    const earlier = await this.#ask(call, range.within(call.values, range.first, fork));
    const part = range.within(call.values, fork + 1n, range.last);
    const later = await retryUntilLoadedAsync(() => own([...part]));
    return this.#encoded(call, this.#join(call, range, earlier, jsonOf(later)));
  }

  /** @throws ForkError `REMOTE_FAILED` for a response of the remote node that cannot be joined with the other */
  #join({ name }: DeclaredCall, { join }: BlockRange, earlier: Json, later: Json): Json {
    try {
      return join?.(earlier, later) ?? null;
    } catch (error) {
      if (!(error instanceof JoinError)) throw error;
      const { name: url } = this.#fork.node;
      const message = `the forked node ${url} failed: its response to ${name} ${error.message}`;
      throw new ForkError("REMOTE_FAILED", message, { url });
    }
  }

  async #forward(call: DeclaredCall, values: readonly Json[]): Promise<Encoded> {
    return this.#encoded(call, await this.#ask(call, values));
  }

  /** A result of the remote node, with all digits of its amounts where the method has any. */
  #encoded({ declaration: { result } }: DeclaredCall, json: Json): Encoded | Promise<Encoded> {
    return runPaced(this.#fork.node.pace, valueText(json, isExact(result)));
  }

  async #ask({ name, declaration }: DeclaredCall, values: readonly Json[]): Promise<Json> {
    const { node } = this.#fork;
    const there = this.#nameThere(name);
    return isExact(declaration.result) ? node.callExactly(there, ...values) : node.call(there, ...values);
  }

  /** The name of a method on the remote node. */
  #nameThere(name: string): string {
    const namespace = namespaceOf(name);
    if (!isChainName(namespace)) return name;
    const { dialect, point } = this.#fork;
    if (dialect !== "eth") return `${dialect}${name.slice(namespace.length)}`;
    throw refused(
      `blocks up to ${point.number} are those of a chain that is not Kaia's; ask for them with eth_ methods`,
    );
  }
}

/** A decoded block number, or a reference already. */
function refOf(value: unknown): unknown {
  return typeof value === "object" ? value : { number: value };
}

function jsonOf(encoded: Encoded): Json {
  if (!(encoded instanceof JsonText)) return encoded;
  const parsed = parseJson(String(encoded.text));
  return "value" in parsed ? parsed.value : null;
}
