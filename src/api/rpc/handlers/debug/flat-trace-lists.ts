import type { Block } from "../../../../protocol/block/block.ts";
import type { Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { refused } from "../../engine/errors.ts";
import type { FlatTrace, PlacedFlatTrace } from "../../spec/debug/flat-traces.ts";
import type { ChainReader } from "../chain/chain-reader.ts";
import type { WaitingCaller } from "../execution/executor.ts";
import { type BlockTraces, checkSize } from "./block-traces.ts";
import { planOf, shownTrace } from "./trace-plan.ts";

/** The list of a transaction with the place of that in its block. */
interface TransactionTraces {
  readonly transactionHash: string;
  readonly transactionPosition: number;
  readonly list: readonly FlatTrace[];
}

/** Where the lists come from. */
export interface FlatTraceSources {
  readonly reader: ChainReader;
  readonly blocks: BlockTraces;
}

/** Options under which a transaction is shown as a list. */
const FLAT_CONFIG = { tracer: "flatCallTracer", timeout: "30s" };
/** Characters of the lists of one request: they are read on the main thread. */
const MOST_CHARACTERS = 32_000_000;

/** The lists of transactions of the chain. */
export class FlatTraces {
  readonly #deps: FlatTraceSources;

  constructor(deps: FlatTraceSources) {
    this.#deps = deps;
  }

  /** The lists of all transactions of a block. @throws RpcError -32000, -32005 */
  async ofBlock(block: Block, patience: WaitingCaller): Promise<readonly TransactionTraces[]> {
    if (block.transactions.length === 0) return [];
    const shown = await this.#deps.blocks.trace(block, FLAT_CONFIG, "refused", patience);
    checkSize(
      shown.reduce((sum, { text }) => sum + text.length, 0),
      MOST_CHARACTERS,
    );
    return shown.map(({ text }, transactionPosition) => {
      const { txHash: transactionHash, result, error } = JSON.parse(text);
      if (error !== undefined) throw refused(`transaction ${transactionHash}: ${error}`);
      return { transactionHash, transactionPosition, list: result as readonly FlatTrace[] };
    });
  }

  /** All lists of a block as one, each element with where it belongs. @throws RpcError -32000, -32005 */
  async located(block: Block, blockHash: Hash, patience: WaitingCaller): Promise<readonly PlacedFlatTrace[]> {
    const all = await this.ofBlock(block, patience);
    return all.flatMap((transaction) => placed(transaction, block, blockHash));
  }

  /** The list of a transaction; undefined when it is not in the chain. @throws RpcError -32000, -32005 */
  async replayed(hash: Hash, patience: WaitingCaller): Promise<TransactionTraces | undefined> {
    const { reader, blocks } = this.#deps;
    const place = reader.chain.place(hash);
    if (place === undefined) return undefined;
    const plan = planOf(FLAT_CONFIG, "refused");
    const block = reader.requireBlock({ number: place.blockNumber }).block;
    const { text } = await shownTrace(plan.timeoutText, () =>
      blocks.traceOne(block, place.index, plan, patience),
    );
    const list = parsedList(String(text));
    return { transactionHash: bytesToHex(hash), transactionPosition: place.index, list };
  }

  /** That list, each element with where it belongs; null when there is none. @throws RpcError -32000, -32005 */
  async ofTransaction(hash: Hash, patience: WaitingCaller): Promise<readonly PlacedFlatTrace[] | null> {
    const { reader } = this.#deps;
    const place = reader.chain.place(hash);
    if (place === undefined) return null;
    const located = reader.requireBlock({ number: place.blockNumber });
    const transaction = await this.replayed(hash, patience);
    return transaction === undefined ? null : placed(transaction, located.block, located.hash);
  }
}

function placed(
  { list, ...place }: TransactionTraces,
  { header }: Block,
  blockHash: Hash,
): PlacedFlatTrace[] {
  const block = { blockHash: bytesToHex(blockHash), blockNumber: Number(header.number) };
  return list.map((trace) => ({ ...trace, ...block, ...place }));
}

/** The list in the text that the tracer wrote. @throws RpcError -32000 when it is too long for an answer */
function parsedList(text: string): readonly FlatTrace[] {
  checkSize(text.length, MOST_CHARACTERS);
  return JSON.parse(text);
}
