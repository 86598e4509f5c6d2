import type { BlockReward } from "../../../../ledger/extensions/reward/block-reward.ts";
import { rewardOfBlock } from "../../../../ledger/extensions/reward/reward-of-block.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { refused } from "../../engine/errors.ts";
import type { ExactObject } from "../../spec/values/exact-json.ts";
import type { ConsensusDeps } from "./consensus-reader.ts";

/** Maximum blocks of one sum: about a week. */
const MAX_RANGE = 604_800n;

/**
 * The rewards of a block.
 * @throws RpcError -32000; also for a genesis without a base fee under immediate distribution: fees go to the block's
 * author, which the reference node recovers from the seal, and the genesis has none
 */
export function rewardOf({ chain, extensions }: ConsensusDeps, number: bigint): BlockReward {
  const header = chain.header(number);
  if (header === undefined) throw refused("block not found");
  if (number === 0n && !chain.params.at(0n).deferredTxFee && !chain.rulesAt(0n).magma) {
    throw refused("recovery failed");
  }
  return rewardOfBlock(chain, header, (at) => extensions.staking.at(at));
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
  if (last - first + 1n > MAX_RANGE) throw refused("exceeds block number range limit");
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

/** The reward of each recipient, by address. */
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
