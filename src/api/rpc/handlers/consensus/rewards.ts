import { type BlockReward, blockRewardWithFees } from "../../../../ledger/extensions/reward/block-reward.ts";
import type { Header } from "../../../../protocol/block/header.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { effectiveGasPrice } from "../../../../protocol/transaction/fees.ts";
import { refused } from "../../errors.ts";
import type { ExactObject } from "../../exact-json.ts";
import type { ConsensusDeps } from "./consensus-reader.ts";

/** Most blocks of one sum: a week. */
const LARGEST_RANGE = 604_800n;

/** What a block paid. @throws RpcError -32000 */
export function rewardOf(deps: ConsensusDeps, number: bigint): BlockReward {
  const { chain, extensions } = deps;
  const header = chain.header(number);
  if (header === undefined) throw refused("block not found");
  const input = {
    rules: chain.rulesAt(number),
    params: chain.params.at(number),
    rewardbase: header.rewardbase,
    totalFee: totalFeeOf(deps, header),
    staking: () => extensions.staking.at(number),
  };
  return blockRewardWithFees(input, chain.author(header));
}

/** Fees of all transactions: by price from kaia on, before that every transaction pays the same. */
function totalFeeOf({ chain }: ConsensusDeps, { number, gasUsed, baseFee = 0n }: Header): bigint {
  const rules = chain.rulesAt(number);
  if (!rules.kaia) return gasUsed * (rules.magma ? baseFee : chain.params.at(number).unitPrice);
  const transactions = chain.block(number)?.transactions ?? [];
  const receipts = chain.receipts(number) ?? [];
  return transactions.reduce(
    (sum, tx, i) => sum + (receipts[i]?.gasUsed ?? 0n) * effectiveGasPrice(tx, baseFee, rules),
    0n,
  );
}

/** A reward as `kaia_getRewards` shows it. */
export function showReward(reward: BlockReward): ExactObject {
  const { minted, totalFee, burntFee, proposer, stakers, kif, kef } = reward;
  return { minted, totalFee, burntFee, proposer, stakers, kif, kef, rewards: paid([reward]) };
}

/** The sum over a range of blocks. @throws RpcError -32000 */
export function accumulatedRewards(deps: ConsensusDeps, first: bigint, last: bigint): ExactObject {
  const { chain } = deps;
  if (first > last || last > chain.head.header.number) throw refused("invalid block number range");
  if (last - first + 1n > LARGEST_RANGE) throw refused("exceeds block number range limit");
  const rewards: BlockReward[] = [];
  for (let number = first; number <= last; number++) rewards.push(rewardOf(deps, number));
  const sum = (field: "minted" | "totalFee" | "burntFee" | "proposer" | "stakers" | "kif" | "kef") =>
    rewards.reduce((total, reward) => total + reward[field], 0n);
  return {
    firstBlockTime: chain.header(first)?.time ?? 0n,
    lastBlockTime: chain.header(last)?.time ?? 0n,
    firstBlock: first,
    lastBlock: last,
    totalMinted: sum("minted"),
    totalTxFee: sum("totalFee"),
    totalBurntTxFee: sum("burntFee"),
    totalProposerRewards: sum("proposer"),
    totalStakingRewards: sum("stakers"),
    totalKIFRewards: sum("kif"),
    totalKEFRewards: sum("kef"),
    rewards: paid(rewards),
  };
}

/** What each recipient got, by address. */
function paid(rewards: readonly BlockReward[]): ExactObject {
  const amounts = new Map<string, bigint>();
  for (const { payments } of rewards) {
    for (const { address, amount } of payments) {
      const key = bytesToHex(address);
      amounts.set(key, (amounts.get(key) ?? 0n) + amount);
    }
  }
  return Object.fromEntries([...amounts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
