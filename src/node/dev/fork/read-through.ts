import { decodeArguments, positional } from "../../../api/rpc/engine/arguments.ts";
import { refused } from "../../../api/rpc/engine/errors.ts";
import { type BoundMethod, type Encoded, namespaceOf } from "../../../api/rpc/engine/registry.ts";
import type { CallInterceptor } from "../../../api/rpc/engine/server-options.ts";
import { withEnvelope } from "../../../api/rpc/handlers/transactions/submit.ts";
import { isChainName } from "../../../api/rpc/spec/chain-names.ts";
import type { Scope } from "../../../api/rpc/spec/method.ts";
import { JsonText } from "../../../api/rpc/spec/values/json-text.ts";
import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import { MissingState, retryUntilLoadedAsync } from "../../../ledger/state/missing-state.ts";
import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import type { Hash } from "../../../protocol/primitives/bytes.ts";
import { AccessHints } from "./access-hints.ts";
import { joinedFees, joinedLogs } from "./joined-results.ts";
import type { RemoteChain } from "./open-fork.ts";

/** What reading through a fork needs. */
export interface ReadThroughParts {
  readonly fork: RemoteChain;
  readonly chain: Blockchain;
  readonly pool: TransactionPool;
}

/** Scopes that the remote node may answer for this one. */
const READS: ReadonlySet<Scope> = new Set(["chain", "state"]);

type Arguments = Readonly<Record<string, unknown>>;
type Own = Parameters<CallInterceptor>[2];

/**
 * Intercepts the calls on a forked chain. Calls about blocks up to the fork point, or about transactions unknown here, are
 * answered verbatim by the remote node; this node answers the rest, retrying until all the state they read has been fetched.
 */
export function readThrough(parts: ReadThroughParts): CallInterceptor {
  const reader = new ReadThrough(parts);
  return (name, params, own, bound) => reader.answer(name, params, own, bound);
}

class ReadThrough {
  readonly #fork: RemoteChain;
  readonly #chain: Blockchain;
  readonly #pool: TransactionPool;
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
    const complete: Own = (changed) => retryUntilLoadedAsync(() => own(changed));
    if (bound === undefined) return complete();
    const { scope } = bound.declaration;
    if (!READS.has(scope) && scope !== "send") return complete();
    const values = positional(params);
    const args = decodeArguments(bound.parameters, bound.declaration.normalize?.(values) ?? values);
    const method = name.slice(name.indexOf("_") + 1);
    const call = { name, method, scope, values, args, names: bound.parameters.names };
    if (method === "getLogs") return this.#logs(call, complete);
    if (method === "feeHistory") return this.#fees(call, complete);
    return (READS.has(scope) ? this.#remote(call) : undefined) ?? this.#own(call, own);
  }

  /** This node's answer; the state it needs is prefetched in few requests where it can be predicted. */
  async #own({ method, values, args }: Call, own: Own): Promise<Encoded> {
    if (method === "sendRawTransaction")
      await this.#hints.ofTransaction(withEnvelope(args["raw"] as Uint8Array));
    if (method === "sendTransaction") await this.#hints.ofTransaction(values[0] ?? null);
    try {
      return await own();
    } catch (error) {
      if (!(error instanceof MissingState)) throw error;
      await Promise.all([error.load(), this.#hints.ofCall(method, values)]);
      return retryUntilLoadedAsync(() => own());
    }
  }

  /** The remote node's answer, if the call is for it. */
  #remote(call: Call): Promise<Json> | undefined {
    const { args } = call;
    const place = args["block"] ?? args["number"];
    if (place !== undefined) return this.#byBlock(call, place);
    const hash = args["hash"] ?? args["blockHash"];
    if (hash instanceof Uint8Array && hash.length === 32 && !this.#isOwn(hash)) return this.#ask(call);
    return undefined;
  }

  #byBlock(call: Call, place: unknown): Promise<Json> | undefined {
    const { number: fork } = this.#fork.point;
    const ref = (typeof place === "object" ? place : { number: place }) as {
      number?: bigint | string;
      hash?: Hash;
    };
    // The state after the fork point is this node's, which may have changed it; the block itself is the remote chain's.
    const shows = call.scope !== "state";
    if (ref.hash !== undefined) {
      const number = this.#chain.number(ref.hash);
      const isOwn = number !== undefined && (shows ? number > fork : number >= fork);
      return isOwn ? undefined : this.#ask(call);
    }
    if (typeof ref.number === "bigint") {
      return (shows ? ref.number <= fork : ref.number < fork) ? this.#ask(call) : undefined;
    }
    const isFork = this.#chain.head.header.number === fork;
    return isFork && shows ? this.#ask(call, quantity(fork)) : undefined;
  }

  /** Whether a hash belongs to a block or transaction of this node. */
  #isOwn(hash: Hash): boolean {
    const number = this.#chain.number(hash);
    if (number !== undefined) return number > this.#fork.point.number;
    return (
      this.#chain.locate(hash) !== undefined ||
      this.#chain.transactionHashBySender(hash) !== undefined ||
      this.#pool.get(hash) !== undefined
    );
  }

  /** @param block - replaces the block that the caller named */
  #ask({ name, method, values, names }: Call, block?: string): Promise<Json> {
    const at = names.findIndex((each) => each === "block" || each === "number");
    const params = block === undefined ? values : [...values.slice(0, at), block, ...values.slice(at + 1)];
    return this.#fork.node.call(this.#nameThere(name, method), ...params);
  }

  /** The name of a method on the remote node. */
  #nameThere(name: string, method: string): string {
    const namespace = namespaceOf(name);
    if (!isChainName(namespace)) return name;
    const { dialect, point } = this.#fork;
    if (dialect !== "eth") return `${dialect}_${method}`;
    throw refused(
      `blocks up to ${point.number} are those of a chain that is not Kaia's; ask for them with eth_ methods`,
    );
  }

  async #logs(call: Call, own: Own): Promise<Encoded> {
    const { number: fork } = this.#fork.point;
    const filter = call.args["filter"] as {
      blockHash?: Hash;
      fromBlock?: bigint | string;
      toBlock?: bigint | string;
    };
    if (filter.blockHash !== undefined) return this.#isOwn(filter.blockHash) ? own() : this.#ask(call);
    const [from, to] = [this.#resolve(filter.fromBlock), this.#resolve(filter.toBlock)];
    if (from > fork || from > to) return own();
    const range = (first: bigint, last: bigint): Json => ({
      ...(call.values[0] as Record<string, Json>),
      fromBlock: quantity(first),
      toBlock: quantity(last),
    });
    const endsHere = to > fork;
    const there = await this.#ask({ ...call, values: [range(from, endsHere ? fork : to)] });
    if (!endsHere) return there;
    return joinedLogs(there, jsonOf(await own([range(fork + 1n, to)])));
  }

  async #fees(call: Call, own: Own): Promise<Encoded> {
    const { number: fork } = this.#fork.point;
    const newest = this.#resolve(call.args["newestBlock"] as bigint | string);
    const count = call.args["blockCount"] as bigint;
    const percentiles = call.values.slice(2);
    if (newest > fork && count <= newest - fork) return own();
    const endsHere = newest > fork;
    const here = endsHere ? newest - fork : 0n;
    const last = quantity(endsHere ? fork : newest);
    const there = await this.#ask({ ...call, values: [quantity(count - here), last, ...percentiles] });
    if (here === 0n) return there;
    return joinedFees(there, jsonOf(await own([quantity(here), quantity(newest), ...percentiles])));
  }

  #resolve(number: bigint | string | undefined): bigint {
    return typeof number === "bigint" ? number : this.#chain.head.header.number;
  }
}

/** A call with its arguments, by position and by name. */
interface Call {
  readonly name: string;
  /** Without the namespace. */
  readonly method: string;
  readonly scope: Scope;
  readonly values: readonly Json[];
  readonly args: Arguments;
  readonly names: readonly string[];
}

function jsonOf(encoded: Encoded): Json {
  return encoded instanceof JsonText ? (JSON.parse(String(encoded.text)) as Json) : encoded;
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}
