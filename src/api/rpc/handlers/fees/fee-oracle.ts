import type { Chain } from "../../../../ledger/chain/chain.ts";
import { equalBytes } from "../../../../protocol/primitives/bytes.ts";
import { effectiveGasTip } from "../../../../protocol/transaction/fees.ts";
import { senderOf } from "../../render/transaction.ts";

/** How the reference samples tips. */
const Sampling = { blocks: 20, perBlock: 3, percentile: 60, maxTip: 500_000_000_000n } as const;

/** Suggests prices from recent blocks, as the reference node v2.2.1 does. */
export class FeeOracle {
  readonly #chain: Chain;
  readonly #followsTips: boolean;
  #tip: { readonly head: bigint; readonly value: bigint } | undefined;

  /** @param followsTips whether suggestions follow the market, where the kaia fork is active */
  constructor(chain: Chain, followsTips = true) {
    this.#chain = chain;
    this.#followsTips = followsTips;
  }

  /** Suggested price per gas for the next block, with a margin: 10 % while blocks are not full, else 15 % plus the suggested tip. */
  gasPrice(): bigint {
    const rules = this.#chain.rulesAt(this.#chain.head.header.number + 1n);
    if (!rules.magma) return this.#nextParams().unitPrice;
    const baseFee = this.#chain.nextBaseFee();
    if (!rules.kaia || !this.#followsTips) return baseFee * 2n;
    const tip = this.tip();
    return (baseFee * (tip === 0n ? 110n : 115n)) / 100n + tip;
  }

  /** Tip per gas: 0 while the base fee is at its lower bound, else the 60th percentile of 20 blocks. */
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

  /** Lower or upper bound of the base fee; the unit price before magma. */
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
    const { baseFee, rewardbase } = block.header;
    const byTip = block.transactions
      .map((tx) => ({ tx, tip: effectiveGasTip(tx, baseFee) }))
      .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0));
    const lowest: bigint[] = [];
    for (const { tx, tip } of byTip) {
      // Computed for as few as possible: a follower may not know the senders of a new block yet.
      if (lowest.length === Sampling.perBlock) break;
      if (!equalBytes(senderOf({ tx, chainId }), rewardbase)) lowest.push(tip);
    }
    return lowest;
  }
}
