import { type Address, equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { giniCoefficient, type StakingInfo, stakeByNode } from "../staking/staking-info.ts";
import { sortAddresses } from "./address-order.ts";
import { GoRandom, legacySeed } from "./go-random.ts";

/** The proposers of one update interval under policy 2, from kore until randao: every validator once, shuffled. */
export function uniformProposers(qualified: readonly Address[], hash: Hash): Address[] {
  return new GoRandom(legacySeed(hash)).legacyShuffled(sortAddresses(qualified));
}

/**
 * The proposers of one update interval under policy 2 before kore: every validator as many times as its percentage of the
 * total stake, but at least once, shuffled. In floating point, as in the reference.
 * @param useGini - whether to flatten stakes by the exponent 1 / (1 + Gini coefficient)
 */
export function weightedProposers(
  qualified: readonly Address[],
  options: { readonly staking: StakingInfo; readonly useGini: boolean; readonly hash: Hash },
): Address[] {
  const amounts = stakesOf(qualified, options.staking);
  const exponent = 1 / (1 + giniCoefficient(amounts));
  const stakes = options.useGini ? amounts.map((amount) => Math.round(amount ** exponent)) : amounts;
  const total = stakes.reduce((sum, stake) => sum + stake, 0);
  const times = stakes.map((stake) => (total > 0 ? Math.max(1, Math.round((stake * 100) / total)) : 1));
  const list = qualified.flatMap((address, i) => new Array<Address>(times[i] as number).fill(address));
  return new GoRandom(legacySeed(options.hash)).legacyShuffled(sortAddresses(list));
}

function stakesOf(qualified: readonly Address[], staking: StakingInfo): number[] {
  const stakes = stakeByNode(staking);
  return qualified.map((address) => Number(stakes.get(bytesToHex(address)) ?? 0n));
}

/** The list without validators removed since it was made. */
export function withoutRemoved(list: readonly Address[], removed: readonly Address[]): readonly Address[] {
  if (removed.length === 0) return list;
  return list.filter((address) => !removed.some((gone) => equalBytes(gone, address)));
}
