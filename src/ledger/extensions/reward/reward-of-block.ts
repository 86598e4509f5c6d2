import type { Header } from "../../../protocol/block/header.ts";
import { effectiveGasPrice } from "../../../protocol/transaction/fees.ts";
import type { Chain } from "../../chain/chain.ts";
import type { StakingInfo } from "../staking/staking-info.ts";
import { type BlockReward, blockRewardWithFees, burntFee } from "./block-reward.ts";

/** Minted, burnt and paid amounts of a block. @param stakingAt - staking information in force at a block */
export function rewardOfBlock(
  chain: Chain,
  header: Header,
  stakingAt: (number: bigint) => StakingInfo,
): BlockReward {
  const { number, rewardbase } = header;
  const input = {
    rules: chain.rulesAt(number),
    params: chain.params.at(number),
    rewardbase,
    totalFee: totalFeeOf(chain, header),
    staking: () => stakingAt(number),
  };
  return blockRewardWithFees(input, chain.author(header));
}

/** Minted and burnt amounts of a block, kei. */
export function mintedAndBurnt(
  chain: Chain,
  header: Header,
): { readonly minted: bigint; readonly burntFee: bigint } {
  const rules = chain.rulesAt(header.number);
  const params = chain.params.at(header.number);
  return { minted: params.mintingAmount, burntFee: burntFee(totalFeeOf(chain, header), { rules, params }) };
}

/** Fees of all transactions: by effective price from kaia on; before, gas used times base fee or unit price. */
function totalFeeOf(chain: Chain, { number, gasUsed, baseFee = 0n }: Header): bigint {
  if (gasUsed === 0n) return 0n;
  const rules = chain.rulesAt(number);
  if (!rules.kaia) return gasUsed * (rules.magma ? baseFee : chain.params.at(number).unitPrice);
  const transactions = chain.block(number)?.transactions ?? [];
  const receipts = chain.receipts(number) ?? [];
  return transactions.reduce(
    (sum, tx, i) => sum + (receipts[i]?.gasUsed ?? 0n) * effectiveGasPrice(tx, baseFee, rules),
    0n,
  );
}
