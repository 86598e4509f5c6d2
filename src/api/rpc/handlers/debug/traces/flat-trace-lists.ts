import { type Pace, runPaced } from "../../../../../platform/runtime/turns/pace.ts";
import type { Block } from "../../../../../protocol/block/block.ts";
import type { Hash } from "../../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../../protocol/primitives/hex.ts";
import { refused } from "../../../engine/errors.ts";
import type { TraceLimits } from "../../../services/limits.ts";
import type { FlatTrace, PlacedFlatTrace } from "../../../spec/debug/flat-traces.ts";
import type { TraceConfig } from "../../../spec/debug/traces.ts";
import type { ChainReader, LocatedBlock } from "../../chain/chain-reader.ts";
import type { WaitingCaller } from "../../execution/executor.ts";
import type { BlockTraces } from "./block-traces.ts";
import { parseList } from "./long-list.ts";
import { checkSize, planOf, shownTrace } from "./trace-plan.ts";

/** The traces of a transaction, with its position in the block. */
interface TransactionTraces {
  readonly transactionHash: string;
  readonly transactionPosition: number;
  readonly list: readonly FlatTrace[];
}

/** What flat traces are read from. */
export interface FlatTraceSources {
  readonly reader: ChainReader;
  readonly blocks: BlockTraces;
}

/** Maximum characters of the lists of one request: they are parsed on the main thread, and held until it is answered. */
export const MAX_CHARACTERS = 32_000_000;

/** Flat traces of the chain's transactions. */
export class FlatTraces {
  readonly #deps: FlatTraceSources;
  /** Limits of a request. */
  readonly limits: TraceLimits;
  /** Options that produce flat traces. */
  readonly #config: TraceConfig;

  constructor(deps: FlatTraceSources) {
    this.#deps = deps;
    const { timeMs, characters } = deps.blocks.limits;
    this.limits = { timeMs, characters: Math.min(characters, MAX_CHARACTERS) };
    this.#config = { tracer: "flatCallTracer", timeout: `${timeMs}ms` };
  }

  /** The traces of all transactions of a block. @throws RpcError -32000, -32005 */
  async ofBlock(block: Block, caller: WaitingCaller, pace: Pace): Promise<readonly TransactionTraces[]> {
    if (block.transactions.length === 0) return [];
    const shown = await this.#deps.blocks.trace(block, this.#config, "refused", caller);
    checkSize(
      shown.reduce((sum, trace) => sum + trace.shown.length, 0),
      this.limits.characters,
    );
    const all: TransactionTraces[] = [];
    for (const { hash: transactionHash, shown: list, isFailed } of shown) {
      if (isFailed) throw refused(`transaction ${transactionHash}: ${list}`);
      const place = { transactionHash, transactionPosition: all.length };
      all.push({ ...place, list: await parseList<FlatTrace>(list, pace) });
    }
    return all;
  }

  /** All traces of a block in one list, each with its position. @throws RpcError -32000, -32005 */
  async located(
    { block, hash }: LocatedBlock,
    caller: WaitingCaller,
    pace: Pace,
  ): Promise<readonly PlacedFlatTrace[]> {
    const all: PlacedFlatTrace[] = [];
    for (const transaction of await this.ofBlock(block, caller, pace)) {
      await runPaced(pace, addPlaced(all, transaction, { block, hash }));
    }
    return all;
  }

  /** The traces of a transaction; undefined when it is not in the chain. @throws RpcError -32000, -32005 */
  async replayed(hash: Hash, caller: WaitingCaller, pace: Pace): Promise<TransactionTraces | undefined> {
    const { reader, blocks } = this.#deps;
    const place = reader.chain.locate(hash);
    if (place === undefined) return undefined;
    const plan = planOf(this.#config, "refused", this.limits);
    const block = reader.requireBlock({ number: place.blockNumber }).block;
    const { text } = await shownTrace(plan.timeoutText, this.limits, () =>
      blocks.traceOne(block, place.index, plan, caller),
    );
    const list = await parseList<FlatTrace>(text, pace);
    return { transactionHash: bytesToHex(hash), transactionPosition: place.index, list };
  }

  /** The same as a list of traces with positions; null when the transaction is not in the chain. @throws RpcError -32000, -32005 */
  async ofTransaction(
    hash: Hash,
    caller: WaitingCaller,
    pace: Pace,
  ): Promise<readonly PlacedFlatTrace[] | null> {
    const { reader } = this.#deps;
    const place = reader.chain.locate(hash);
    if (place === undefined) return null;
    const located = reader.requireBlock({ number: place.blockNumber });
    const transaction = await this.replayed(hash, caller, pace);
    if (transaction === undefined) return null;
    const all: PlacedFlatTrace[] = [];
    await runPaced(pace, addPlaced(all, transaction, located));
    return all;
  }
}

/** Adds the traces of a transaction, one per step. */
function* addPlaced(
  all: PlacedFlatTrace[],
  { list, ...place }: TransactionTraces,
  { block, hash }: Pick<LocatedBlock, "block" | "hash">,
): Generator<void> {
  const ofBlock = { blockHash: bytesToHex(hash), blockNumber: Number(block.header.number) };
  for (const trace of list) {
    all.push({ ...trace, ...ofBlock, ...place });
    yield;
  }
}
