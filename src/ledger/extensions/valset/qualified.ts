import type { ParamSet } from "../../../protocol/params/config.ts";
import type { Rules } from "../../../protocol/params/forks.ts";
import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { type StakingInfo, stakeByNode } from "../staking/staking-info.ts";

/** What determines the qualified members of a council. */
export interface QualificationInput {
  readonly rules: Rules;
  readonly params: ParamSet;
  /** Read for policy 2 from istanbul on. */
  readonly staking: () => StakingInfo;
}

/**
 * Members of a council with too little stake: only under policy 2, never all of them, and in mode `single` never the
 * governing node.
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

/** Members of a council that may propose and vote, in its order. */
export function qualifiedValidators(
  council: readonly Address[],
  input: QualificationInput,
): readonly Address[] {
  const demoted = demotedValidators(council, input);
  if (demoted.length === 0) return council;
  return council.filter((node) => !demoted.some((other) => equalBytes(other, node)));
}

/** Size of a committee: at most `committeeSize` of the qualified validators. */
export function decidingSize(qualified: number, committeeSize: number): number {
  return Math.min(qualified, committeeSize);
}

/** Messages that a committee of `size` needs: all below four, else two thirds, rounded up. */
export function quorumOf(size: number): number {
  return size < 4 ? size : Math.ceil((2 * size) / 3);
}

/** Faulty members tolerated by a committee of `size`. */
export function faultsOf(size: number): number {
  return Math.ceil(size / 3) - 1;
}
