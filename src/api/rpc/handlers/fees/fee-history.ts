import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { BlockPreview, PendingBlocks } from "../../../../ledger/chain/execute/pending.ts";
import { type Pace, runPaced } from "../../../../platform/runtime/turns/pace.ts";
import { nextBaseFee } from "../../../../protocol/block/base-fee.ts";
import { blobBaseFee } from "../../../../protocol/block/blob-gas.ts";
import type { Header } from "../../../../protocol/block/header.ts";
import { type Json, stringify } from "../../../../protocol/codec/json/value.ts";
import { UPPER_GAS_LIMIT } from "../../../../protocol/params/gas.ts";
import { hexQuantity } from "../../../../protocol/primitives/hex.ts";
import { effectiveGasTip } from "../../../../protocol/transaction/fees.ts";
import { refused } from "../../engine/errors.ts";
import type { Caller, HeavyReads } from "../../services/heavy-reads.ts";
import type { BlockNumber } from "../../spec/values/block-ref.ts";
import { JsonText } from "../../spec/values/json-text.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import type { HeadTexts } from "../chain/head-texts.ts";

const MAX_HISTORY = 1024n;
const MAX_PERCENTILES = 100;
const NOTHING: WireObject = { oldestBlock: "0x0", gasUsedRatio: null };

/** The fee history of one block. */
type Sample = Pick<BlockPreview, "header" | "transactions" | "receipts">;

/** The requested blocks and percentiles of tips. */
export interface FeeRange {
  readonly count: bigint;
  readonly newest: BlockNumber;
  readonly percentiles: readonly number[];
}

/** The fee history, as in the reference node v2.2.1. */
export class FeeHistory {
  readonly #chain: Chain;
  readonly #pending: PendingBlocks | undefined;
  readonly #reads: HeavyReads;
  readonly #texts: HeadTexts;

  /** @param pending absent on a node that seals no blocks, where `pending` means the latest block */
  constructor(chain: Chain, pending: PendingBlocks | undefined, reads: HeavyReads, texts: HeadTexts) {
    this.#reads = reads;
    this.#texts = texts;
    this.#chain = chain;
    this.#pending = pending;
  }

  /**
   * Base fees of up to `count` blocks and of the next one, gas used ratios, tips at percentiles; a promise when that takes long.
   * @throws RpcError -32000 with the reference's texts
   */
  of(range: FeeRange, caller: Caller): JsonText | Promise<JsonText> {
    const make = () => {
      const made = this.#make(range, caller);
      return made instanceof Promise ? made.then(textOf) : textOf(made);
    };
    const { count, newest, percentiles } = range;
    return newest === "pending" ? make() : this.#texts.kept(`fees ${count} ${newest} ${percentiles}`, make);
  }

  #make({ count, newest, percentiles }: FeeRange, caller: Caller): WireObject | Promise<WireObject> {
    if (count < 1n) return NOTHING;
    checkPercentiles(percentiles);
    const head = this.#chain.head.header.number;
    // A number below zero means no block.
    if (typeof newest === "bigint" && newest < 0n) return NOTHING;
    const pending = newest === "pending" ? this.#previewAfter(head) : undefined;
    const last = typeof newest === "bigint" ? newest : (pending?.header.number ?? head);
    if (pending === undefined && last > head)
      throw refused(`request beyond head block: requested ${last}, head ${head}`);
    let wanted = count > MAX_HISTORY ? MAX_HISTORY : count;
    if (wanted > last + 1n) wanted = last + 1n;
    const samples: Sample[] = [];
    for (let number = last - wanted + 1n; number <= last; number++)
      samples.push(number === pending?.header.number ? pending : this.#sample(number));
    if (percentiles.length === 0) return this.#show(samples);
    const tips = (pace: Pace) => runPaced(pace, tipsInSteps(percentiles, samples));
    const reward = this.#reads.run(caller, tips);
    if (reward instanceof Promise) return reward.then((shown) => this.#show(samples, shown));
    return this.#show(samples, reward);
  }

  /** Undefined while the block before it is being written to disk. */
  #previewAfter(head: bigint): BlockPreview | undefined {
    const preview = this.#pending?.preview();
    return preview?.header.number === head + 1n ? preview : undefined;
  }

  #sample(number: bigint): Sample {
    const chain = this.#chain;
    return {
      header: chain.header(number) as Header,
      get transactions() {
        return chain.block(number)?.transactions ?? [];
      },
      get receipts() {
        return chain.receipts(number) ?? [];
      },
    };
  }

  #show(samples: readonly Sample[], reward?: readonly string[][]): WireObject {
    const headers = samples.map(({ header }) => header);
    const baseFees = headers.map(({ baseFee = 0n }) => baseFee);
    baseFees.push(this.#baseFeeAfter(headers[headers.length - 1] as Header));
    return {
      oldestBlock: hexQuantity((headers[0] as Header).number),
      ...(reward && { reward: [...reward] }),
      baseFeePerGas: baseFees.map(hexQuantity),
      blobBaseFeePerGas: baseFees.map((fee) => hexQuantity(blobBaseFee(fee))),
      gasUsedRatio: headers.map((header) => this.#gasUsedRatio(header)),
    };
  }

  #baseFeeAfter(header: Header): bigint {
    const next = header.number + 1n;
    return this.#chain.rulesAt(next).magma ? nextBaseFee(header, this.#chain.params.at(next)) : 0n;
  }

  #gasUsedRatio({ number, gasUsed }: Header): number {
    const max = this.#chain.rulesAt(number).magma
      ? this.#chain.params.at(number + 1n).maxBlockGasUsedForBaseFee
      : 0n;
    const ratio = max === 0n ? 0 : Number(gasUsed) / Number(max);
    return Math.min(1, ratio === 0 ? Number(gasUsed) / Number(UPPER_GAS_LIMIT) : ratio);
  }
}

function textOf(history: WireObject): JsonText {
  return new JsonText(stringify(history as Json));
}

/** The tips of each block, which requires reading all of its transactions. */
function* tipsInSteps(
  percentiles: readonly number[],
  samples: readonly Sample[],
): Generator<void, readonly string[][]> {
  const tips: string[][] = [];
  for (const sample of samples) {
    tips.push(tipsAt(percentiles, sample).map(hexQuantity));
    yield;
  }
  return tips;
}

/** Tips at percentiles of the gas used in a block. */
function tipsAt(percentiles: readonly number[], { header, transactions, receipts }: Sample): bigint[] {
  if (transactions.length === 0 || receipts.length === 0) return percentiles.map(() => 0n);
  const rows = transactions
    .map((tx, i) => ({ tip: effectiveGasTip(tx, header.baseFee), gas: Number(receipts[i]?.gasUsed ?? 0n) }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0));
  let at = 0;
  let sum = rows[0]?.gas ?? 0;
  return percentiles.map((percentile) => {
    const threshold = Math.floor((Number(header.gasUsed) * percentile) / 100);
    while (sum < threshold && at < rows.length - 1) sum += rows[++at]?.gas ?? 0;
    return rows[at]?.tip ?? 0n;
  });
}

function checkPercentiles(percentiles: readonly number[]): void {
  if (percentiles.length > MAX_PERCENTILES)
    throw refused(`invalid reward percentile: over the query limit ${MAX_PERCENTILES}`);
  for (const [i, p] of percentiles.entries()) {
    if (!(p >= 0 && p <= 100)) throw refused(`invalid reward percentile: ${p.toFixed(6)}`);
    const before = percentiles[i - 1] ?? 0;
    if (p >= before) continue;
    const pair = `#${i - 1}:${before.toFixed(6)} > #${i}:${p.toFixed(6)}`;
    throw refused(`invalid reward percentile: ${pair}`);
  }
}
