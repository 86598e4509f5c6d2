import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import type { ConsolidatedNode } from "../staking/staking-info.ts";
import type { RewardPayment } from "./payments.ts";

/** An amount shared among stakers, and the remainder. */
export interface StakerShares {
  readonly payments: readonly RewardPayment[];
  readonly remainder: bigint;
}

/**
 * Shares an amount among the council members in proportion to their stake above the minimum.
 * @param options.minimumStake - whole KAIA; members with less in the address book get nothing
 * @param options.withPools - whether liquidity pools count and get their share, as from prague on
 * @see KIP-82, KIP-226
 */
export function stakerShares(
  amount: bigint,
  nodes: readonly ConsolidatedNode[],
  options: { readonly minimumStake: bigint; readonly withPools: boolean },
): StakerShares {
  const { minimumStake, withPools } = options;
  const members = nodes
    .filter((node) => node.amount >= minimumStake)
    .map((node) => ({
      node,
      excess: node.amount + (withPools ? (node.pool?.amount ?? 0n) : 0n) - minimumStake,
    }));
  const total = members.reduce((sum, { excess }) => sum + excess, 0n);
  const payments: RewardPayment[] = [];
  let remainder = amount;
  for (const { node, excess } of members) {
    const share = excess === 0n ? 0n : (excess * amount) / total;
    if (share === 0n) continue;
    payments.push(...splitWithPool(share, withPools ? node : { ...node, pool: undefined }));
    remainder -= share;
  }
  return { payments, remainder };
}

/** The share of the liquidity pool of a proposer's reward address; undefined if it has none. */
export function poolShare(
  amount: bigint,
  nodes: readonly ConsolidatedNode[],
  rewardAddress: Address,
): RewardPayment | undefined {
  const node = nodes.find((candidate) => equalBytes(candidate.rewardAddress, rewardAddress));
  return node?.pool && { address: node.pool.pool, amount: poolPart(amount, node.amount, node.pool.amount) };
}

function splitWithPool(
  share: bigint,
  node: Omit<ConsolidatedNode, "pool"> & { pool?: ConsolidatedNode["pool"] | undefined },
): RewardPayment[] {
  const { rewardAddress, pool } = node;
  if (pool === undefined) return [{ address: rewardAddress, amount: share }];
  const part = poolPart(share, node.amount, pool.amount);
  return [
    { address: rewardAddress, amount: share - part },
    { address: pool.pool, amount: part },
  ];
}

function poolPart(amount: bigint, staked: bigint, liquidity: bigint): bigint {
  return (amount * liquidity) / (staked + liquidity);
}
