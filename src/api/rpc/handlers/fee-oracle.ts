import type { Chain } from "../../../ledger/chain/chain.ts";
import { nextBaseFee } from "../../../protocol/block/base-fee.ts";
import { blobBaseFee } from "../../../protocol/block/blob-gas.ts";
import type { Block } from "../../../protocol/block/block.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { effectiveGasTip } from "../../../protocol/transaction/fees.ts";
import { refused } from "../errors.ts";
import { hexQuantity } from "../render/columns.ts";
import { senderOf } from "../render/transaction.ts";
import type { BlockNumber } from "../spec/block-ref.ts";
import type { WireObject } from "../spec/wire-types.ts";

/** How the reference samples tips. */
const Sampling = { blocks: 20, perBlock: 3, percentile: 60, maxTip: 500_000_000_000n } as const;
const MAX_HISTORY = 1024n;
const MAX_PERCENTILES = 100;
const UPPER_GAS_LIMIT = 500_000_000;

/** Suggests prices from recent blocks, as the reference node v2.2.1 does, and tells their history. */
export class FeeOracle {
  readonly #chain: Chain;
  readonly #followsTips: boolean;
  #tip: { readonly head: bigint; readonly value: bigint } | undefined;

  /** @param followsTips whether suggestions follow what others pay, where the kaia fork is active */
  constructor(chain: Chain, followsTips = true) {
    this.#chain = chain;
    this.#followsTips = followsTips;
  }

  /** Price per gas for the next block, with a margin: 10 % while blocks are not full, else 15 % and the usual tip. */
  gasPrice(): bigint {
    const rules = this.#chain.rulesAt(this.#chain.head.header.number + 1n);
    if (!rules.magma) return this.#nextParams().unitPrice;
    const baseFee = this.#chain.nextBaseFee();
    if (!rules.kaia || !this.#followsTips) return baseFee * 2n;
    const tip = this.tip();
    return (baseFee * (tip === 0n ? 110n : 115n)) / 100n + tip;
  }

  /** Tip per gas: 0 while the base fee stands at its lower bound, else the 60th percentile of 20 blocks. */
  tip(): bigint {
    const { number } = this.#chain.head.header;
    const rules = this.#chain.rulesAt(number + 1n);
    if (!rules.magma) return this.#nextParams().unitPrice;
    if (!rules.kaia || !this.#followsTips) return 0n;
    if (this.#chain.nextBaseFee() <= this.#nextParams().lowerBoundBaseFee) return 0n;
    if (this.#tip?.head !== number)
      this.#tip = { head: number, value: this.#sampleTips(this.#tip?.value ?? 0n) };
    return this.#tip.value;
  }

  /** Lowest or highest base fee there can be; the unit price before magma. */
  bound(which: "lowerBoundBaseFee" | "upperBoundBaseFee"): bigint {
    const params = this.#nextParams();
    return this.#chain.rulesAt(this.#chain.head.header.number).magma ? params[which] : params.unitPrice;
  }

  #nextParams() {
    return this.#chain.params.at(this.#chain.head.header.number + 1n);
  }

  #sampleTips(last: bigint): bigint {
    const tips: bigint[] = [];
    let number = this.#chain.head.header.number;
    for (let wanted = Sampling.blocks; wanted > 0 && number > 0n; wanted--, number--) {
      const found = this.#lowestTips(number);
      tips.push(...(found.length === 0 ? [last] : found));
    }
    tips.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const price = tips[Math.floor(((tips.length - 1) * Sampling.percentile) / 100)] ?? last;
    return price > Sampling.maxTip ? Sampling.maxTip : price;
  }

  /** The lowest tips of a block; its proposer's own transactions do not count. */
  #lowestTips(number: bigint): bigint[] {
    const block = this.#chain.block(number);
    if (block === undefined) return [];
    const { chainId } = this.#chain.config;
    return block.transactions
      .filter((tx) => !equalBytes(senderOf({ tx, chainId }), block.header.rewardbase))
      .map((tx) => effectiveGasTip(tx, block.header.baseFee))
      .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      .slice(0, Sampling.perBlock);
  }

  /** `feeHistory`: base fees of blocks and of the next one, gas used ratios, tips at percentiles. */
  history(count: bigint, newest: BlockNumber, percentiles: readonly number[]): WireObject {
    checkPercentiles(percentiles);
    const head = this.#chain.head.header.number;
    const last = typeof newest === "bigint" ? newest : head;
    if (last > head) throw refused(`request beyond head block: requested ${last}, head ${head}`);
    // There is no pending block to tell about: one block fewer.
    let wanted = count > MAX_HISTORY ? MAX_HISTORY : count;
    if (newest === "pending" && wanted > 0n) wanted--;
    if (wanted > last + 1n) wanted = last + 1n;
    if (wanted < 1n) return { oldestBlock: "0x0", gasUsedRatio: null };
    return this.#historyOf(last - wanted + 1n, last, percentiles);
  }

  #historyOf(oldest: bigint, last: bigint, percentiles: readonly number[]): WireObject {
    const baseFees: bigint[] = [];
    const ratios: number[] = [];
    const rewards: string[][] = [];
    for (let number = oldest; number <= last; number++) {
      const header = this.#chain.header(number) as Header;
      baseFees.push(header.baseFee ?? 0n);
      ratios.push(this.#gasUsedRatio(header));
      if (percentiles.length > 0) rewards.push(this.#rewards(number, percentiles).map(hexQuantity));
    }
    baseFees.push(this.#baseFeeAfter(last));
    return {
      oldestBlock: hexQuantity(oldest),
      ...(percentiles.length > 0 && { reward: rewards }),
      baseFeePerGas: baseFees.map(hexQuantity),
      blobBaseFeePerGas: baseFees.map((fee) => hexQuantity(blobBaseFee(fee))),
      gasUsedRatio: ratios,
    };
  }

  #baseFeeAfter(number: bigint): bigint {
    if (!this.#chain.rulesAt(number + 1n).magma) return 0n;
    return nextBaseFee(this.#chain.header(number) as Header, this.#chain.params.at(number + 1n));
  }

  #gasUsedRatio({ number, gasUsed }: Header): number {
    const most = this.#chain.rulesAt(number).magma
      ? this.#chain.params.at(number + 1n).maxBlockGasUsedForBaseFee
      : 0n;
    const ratio = most === 0n ? 0 : Number(gasUsed) / Number(most);
    return Math.min(1, ratio === 0 ? Number(gasUsed) / UPPER_GAS_LIMIT : ratio);
  }

  /** Tips at percentiles of a block's gas. */
  #rewards(number: bigint, percentiles: readonly number[]): bigint[] {
    const block = this.#chain.block(number) as Block;
    const receipts = this.#chain.receipts(number);
    if (block.transactions.length === 0 || receipts === undefined) return percentiles.map(() => 0n);
    const rows = block.transactions
      .map((tx, i) => ({
        tip: effectiveGasTip(tx, block.header.baseFee),
        gas: Number(receipts[i]?.gasUsed ?? 0n),
      }))
      .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0));
    let at = 0;
    let sum = rows[0]?.gas ?? 0;
    return percentiles.map((percentile) => {
      const threshold = Math.floor((Number(block.header.gasUsed) * percentile) / 100);
      while (sum < threshold && at < rows.length - 1) sum += rows[++at]?.gas ?? 0;
      return rows[at]?.tip ?? 0n;
    });
  }
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
