import { type Address, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";

/** Stakes of the validators after one block, from the address book and the registry of liquidity pools. */
export interface StakingInfo {
  /** Block from whose state it was read. */
  readonly sourceBlock: bigint;
  readonly nodes: readonly StakingNode[];
  /** Kaia Ecosystem Fund (formerly KIR, KCF); the zero address without an active address book. */
  readonly kefAddress: Address;
  /** Kaia Infrastructure Fund (formerly PoC, KGF, KFF). */
  readonly kifAddress: Address;
  /** From prague on; undefined if there are none. */
  readonly pools?: readonly LiquidityPool[];
}

/** One entry of the address book. */
export interface StakingNode {
  readonly nodeId: Address;
  readonly stakingContract: Address;
  readonly rewardAddress: Address;
  /** Whole KAIA, without consensus liquidity. */
  readonly amount: bigint;
}

/** Consensus liquidity of a validator. @see KIP-226 */
export interface LiquidityPool {
  readonly nodeId: Address;
  readonly pool: Address;
  /** Whole KAIA. */
  readonly amount: bigint;
}

/** Entries of the address book with the same reward address: one member of the governance council. */
export interface ConsolidatedNode {
  readonly nodeIds: readonly Address[];
  readonly rewardAddress: Address;
  /** Sum of the entries' amounts. */
  readonly amount: bigint;
  readonly pool?: LiquidityPool;
}

/** The staking information of a network without an active address book. */
export function emptyStakingInfo(sourceBlock: bigint): StakingInfo {
  return { sourceBlock, nodes: [], kefAddress: ZERO_ADDRESS, kifAddress: ZERO_ADDRESS };
}

const consolidated = new WeakMap<StakingInfo, readonly ConsolidatedNode[]>();

/** The entries merged by reward address, in order of first appearance. */
export function consolidatedNodes(info: StakingInfo): readonly ConsolidatedNode[] {
  let nodes = consolidated.get(info);
  if (nodes === undefined) {
    nodes = consolidate(info);
    consolidated.set(info, nodes);
  }
  return nodes;
}

function consolidate({ nodes, pools = [] }: StakingInfo): readonly ConsolidatedNode[] {
  const poolByNode = new Map(pools.map((pool) => [bytesToHex(pool.nodeId), pool]));
  const byReward = new Map<string, ConsolidatedNode>();
  for (const { nodeId, rewardAddress, amount } of nodes) {
    const key = bytesToHex(rewardAddress);
    const joined = byReward.get(key) ?? { nodeIds: [], rewardAddress, amount: 0n };
    const pool = poolByNode.get(bytesToHex(nodeId)) ?? joined.pool;
    byReward.set(key, {
      nodeIds: [...joined.nodeIds, nodeId],
      rewardAddress,
      amount: joined.amount + amount,
      ...(pool && { pool }),
    });
  }
  return [...byReward.values()];
}

/** Stake of each node id, whole KAIA: the total of its reward address. Keys are lower-case hex. */
export function stakeByNode(info: StakingInfo): ReadonlyMap<string, bigint> {
  const stakes = consolidatedNodes(info).flatMap(({ nodeIds, amount }) =>
    nodeIds.map((nodeId): [string, bigint] => [bytesToHex(nodeId), amount]),
  );
  return new Map(stakes);
}

/** Gini coefficient of amounts, rounded to two places; -1 for none. @see reference node v2.2.1, `kaiax/staking` */
export function giniCoefficient(amounts: readonly number[]): number {
  if (amounts.length === 0) return -1;
  let differences = 0;
  let sum = 0;
  for (const [i, amount] of [...amounts].sort((a, b) => a - b).entries()) {
    differences += amount * i - sum;
    sum += amount;
  }
  return Math.round((differences / sum / amounts.length) * 100) / 100;
}

/** Gini coefficient among council members with at least `minimumStake`, consensus liquidity included. */
export function stakingGini(info: StakingInfo, minimumStake: bigint): number {
  const members = consolidatedNodes(info).filter(({ amount }) => amount >= minimumStake);
  return giniCoefficient(members.map(({ amount, pool }) => Number(amount) + Number(pool?.amount ?? 0n)));
}
