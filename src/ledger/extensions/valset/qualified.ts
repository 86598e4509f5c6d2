import type { ParamSet } from "../../../protocol/params/config.ts";
import type { Rules } from "../../../protocol/params/forks.ts";
import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { type StakingInfo, stakeByNode } from "../staking/staking-info.ts";

/** All that determines the qualified members of a council. */
export interface QualificationInput {
  readonly rules: Rules;
  readonly params: ParamSet;
  /** Read for policy 2 from istanbul on. */
  readonly staking: () => StakingInfo;
}

/**
 * Members of a council with less than the minimum stake: only under policy 2, never all of them, and never the governing
 * node in governance mode `single`.
 */
export function demotedValidators(
  council: readonly Address[],
  input: QualificationInput,
): readonly Address[] {
  const { rules, params } = input;
  if (params.policy !== 2 || !rules.istanbul) return [];
  const stakes = stakeByNode(input.staking());
  const poor = council.filter((node) => (stakes.get(bytesToHex(node)) ?? 0n) < params.minimumStake);
  if (poor.length === council.length) return [];
  if (params.governanceMode !== "single") return poor;
  return poor.filter((node) => !equalBytes(node, params.governingNode));
}

/** Members of a council that may propose and vote, in council order. */
export function qualifiedValidators(
  council: readonly Address[],
  input: QualificationInput,
): readonly Address[] {
  const demoted = demotedValidators(council, input);
  if (demoted.length === 0) return council;
  return council.filter((node) => !demoted.some((other) => equalBytes(other, node)));
}

/** Actual size of a committee: at most `committeeSize` of the qualified validators. */
export function effectiveCommitteeSize(qualified: number, committeeSize: number): number {
  return Math.min(qualified, committeeSize);
}

/** Quorum of a committee of `size`: all members below four, else two thirds, rounded up. */
export function quorumOf(size: number): number {
  return size < 4 ? size : Math.ceil((2 * size) / 3);
}

/** Faulty members tolerated by a committee of `size`. */
export function faultsOf(size: number): number {
  return Math.ceil(size / 3) - 1;
}
