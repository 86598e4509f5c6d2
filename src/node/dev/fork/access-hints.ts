import { Fetcher } from "../../../ledger/remote/fetcher.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { decodeTransaction } from "../../../protocol/transaction/decoding.ts";
import { recoverSender } from "../../../protocol/transaction/signatures/signers.ts";
import { ForkError } from "./errors.ts";
import type { RemoteChain } from "./open-fork.ts";

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

/** Methods whose first argument is a call. */
const CALLS = /^(call|estimateGas|estimateComputationCost|createAccessList|traceCall)$/;
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

  /**
   * Prefetches what a call will read, for methods that found state missing; resolves at once for those that call
   * nothing.
   */
  async ofCall(method: string, values: readonly Json[]): Promise<void> {
    if (CALLS.test(method)) await this.#fetch((values[0] ?? {}) as Called);
  }

  /**
   * Fetches what a transaction that is being sent will read in its block, the first time for each contract and function.
   * @param sent - as it is sent: its arguments, or the encoding
   */
  async ofTransaction(sent: Json | Uint8Array): Promise<void> {
    const called = sent instanceof Uint8Array ? callOf(sent, this.#fork.point.chainId) : (sent as Called);
    const { to, data = called?.input } = called ?? {};
    if (called === undefined || typeof to !== "string" || typeof data !== "string") return;
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
    const tx = decodeTransaction(raw);
    if (tx.to === undefined || tx.input.length === 0) return undefined;
    const { sender } = recoverSender(tx, chainId);
    return { from: bytesToHex(sender), to: bytesToHex(tx.to), data: bytesToHex(tx.input) };
  } catch {
    return undefined;
  }
}
