import { withEnvelope } from "../../../api/rpc/handlers/transactions/submit.ts";
import type { Method } from "../../../api/rpc/spec/method.ts";
import { referencesOf } from "../../../api/rpc/spec/references.ts";
import { Fetcher } from "../../../ledger/remote/fetcher.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { decodeTransaction } from "../../../protocol/transaction/decoding.ts";
import { recoverSender } from "../../../protocol/transaction/signatures/signers.ts";
import { ForkError } from "./errors.ts";
import type { RemoteChain } from "./open-fork.ts";

/** A call with its arguments, by position and by name. */
export interface DeclaredCall {
  readonly name: string;
  readonly declaration: Pick<Method, "params" | "scope" | "result">;
  readonly values: readonly Json[];
  readonly args: Readonly<Record<string, unknown>>;
}

/** A call, as methods take it. */
interface Called {
  readonly from?: Json;
  readonly to?: Json;
  readonly data?: Json;
  readonly input?: Json;
}

interface Accessed {
  readonly address: string;
  readonly storageKeys: readonly string[];
}

/** Result of `eth_createAccessList`; nothing if the call fails. */
interface AccessList {
  readonly accessList?: readonly Accessed[];
}

/** Text of `0x` and four bytes. */
const SELECTOR_TEXT = 10;

/**
 * Asks the remote node what a call will access, and fetches that in one request instead of piece by piece. Only hints:
 * missing or wrong ones cost time and nothing else.
 */
export class AccessHints {
  readonly #fork: RemoteChain;
  readonly #lists: Fetcher;

  constructor(fork: RemoteChain) {
    this.#fork = fork;
    this.#lists = new Fetcher((calls) => this.#take(calls));
  }

  /** Prefetches what the calls in the arguments of a method will read, after it found state missing. */
  async ofCalls(call: DeclaredCall): Promise<void> {
    await Promise.all(this.#in(call).map((called) => this.#fetch(called)));
  }

  /**
   * Prefetches what transactions that are being sent will read in their block, the first time for each contract and function.
   */
  async ofTransactions(call: DeclaredCall): Promise<void> {
    await Promise.all(this.#in(call).map((called) => this.#first(called)));
  }

  /** What the arguments of a method call, as members or in a signed transaction. */
  #in({ declaration: { params }, values, args }: DeclaredCall): readonly Called[] {
    const encoded = referencesOf(params, "signedTransaction").flatMap(({ name }) =>
      args[name] instanceof Uint8Array ? (callOf(args[name], this.#fork.point.chainId) ?? []) : [],
    );
    return [...encoded, ...referencesOf(params, "call").map(({ index }) => (values[index] ?? {}) as Called)];
  }

  async #first(called: Called): Promise<void> {
    const { to, data = called.input } = called;
    if (typeof to !== "string" || typeof data !== "string") return;
    const key = to + data.slice(0, SELECTOR_TEXT);
    if (this.#fork.cache.markPrefetched(key)) await this.#fetch(called);
  }

  async #fetch({ from, to, data, input }: Called): Promise<void> {
    if (typeof to !== "string") return;
    const call = { ...(from ? { from } : {}), to, data: data ?? input ?? "0x" };
    try {
      await this.#lists.fetch(JSON.stringify(call));
    } catch (error) {
      if (!(error instanceof ForkError)) throw error;
    }
  }

  async #take(calls: readonly string[]): Promise<void> {
    const { node, point } = this.#fork;
    const block = `0x${point.number.toString(16)}`;
    const lists = await node.callEach(calls.map((call) => ["eth_createAccessList", JSON.parse(call), block]));
    await Promise.all(
      lists.flatMap((list) => ((list ?? {}) as AccessList).accessList ?? []).map((each) => this.#read(each)),
    );
  }

  async #read({ address, storageKeys }: Accessed): Promise<void> {
    const { state } = this.#fork;
    const at = hexToBytes(address);
    await Promise.all([state.prefetch([at]), state.prefetchSlots(at, storageKeys.map(hexToBytes))]);
  }
}

/** What a signed transaction calls; undefined for one that calls nothing, or that the node will refuse. */
function callOf(raw: Uint8Array, chainId: bigint): Called | undefined {
  try {
    const tx = decodeTransaction(withEnvelope(raw));
    if (tx.to === undefined || tx.input.length === 0) return undefined;
    const { sender } = recoverSender(tx, chainId);
    return { from: bytesToHex(sender), to: bytesToHex(tx.to), data: bytesToHex(tx.input) };
  } catch {
    return undefined;
  }
}
