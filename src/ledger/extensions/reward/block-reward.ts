import type { ParamSet } from "../../../protocol/params/config.ts";
import type { Rules } from "../../../protocol/params/forks.ts";
import { ratioParts } from "../../../protocol/params/parameters.ts";
import { type Address, isZeroBytes } from "../../../protocol/primitives/bytes.ts";
import { consolidatedNodes, type StakingInfo } from "../staking/staking-info.ts";
import { Payments, type RewardPayment } from "./payments.ts";
import { poolShare, stakerShares } from "./staker-shares.ts";

/** The reward paid at the end of a block, kei. `minted + totalFee − burntFee = proposer + stakers + kif + kef`. */
export interface BlockReward {
  readonly minted: bigint;
  readonly totalFee: bigint;
  readonly burntFee: bigint;
  readonly proposer: bigint;
  readonly stakers: bigint;
  readonly kif: bigint;
  readonly kef: bigint;
  /** Each recipient once, in order of payment. */
  readonly payments: readonly RewardPayment[];
}

/** Inputs of a block's reward. */
export interface RewardInput {
  readonly rules: Rules;
  readonly params: ParamSet;
  readonly rewardbase: Address;
  /** Fees of all transactions, kei. */
  readonly totalFee: bigint;
  /** Read for policy 2 only. */
  readonly staking: () => StakingInfo;
}

/**
 * The reward of a block including fees that were paid with each transaction, as reported over RPC: from magma on, half of
 * them counts as burnt.
 * @param author - the proposer, who received these fees before magma
 */
export function blockRewardWithFees(input: RewardInput, author: Address): BlockReward {
  const reward = blockReward(input);
  if (input.params.deferredTxFee) return reward;
  const burnt = input.rules.magma ? input.totalFee / 2n : 0n;
  const paid = input.totalFee - burnt;
  const payments = new Payments();
  for (const { address, amount } of reward.payments) payments.add(address, amount);
  payments.add(input.rules.magma ? input.rewardbase : author, paid);
  return {
    ...reward,
    totalFee: reward.totalFee + input.totalFee,
    burntFee: reward.burntFee + burnt,
    proposer: reward.proposer + paid,
    payments: payments.list(),
  };
}

/** Proposer policy under which funds and stakers share in the reward. */
const WEIGHTED_RANDOM = 2;

/**
 * The reward paid at the end of a block.
 * @see reference node v2.2.1, `kaiax/reward`; KIP-71, KIP-82, KIP-226
 */
export function blockReward(input: RewardInput): BlockReward {
  return input.params.policy === WEIGHTED_RANDOM ? sharedReward(input) : simpleReward(input);
}

/** Burnt fees: half of them from magma on; from kore on also the rest, up to the amount minted for the proposer. */
export function burntFee(totalFee: bigint, { rules, params }: Pick<RewardInput, "rules" | "params">): bigint {
  if (!rules.magma) return 0n;
  const half = totalFee / 2n;
  if (!rules.kore || params.policy !== WEIGHTED_RANDOM) return half;
  const rest = totalFee - half;
  const minted = splitMinted(params).proposer;
  return half + (rest < minted ? rest : minted);
}

/** All goes to the reward base. Before magma, fees paid with each transaction are paid again here, as in the reference. */
function simpleReward(input: RewardInput): BlockReward {
  const { rules, params, rewardbase } = input;
  const paidAtOnce = !params.deferredTxFee;
  const totalFee = paidAtOnce && rules.magma ? 0n : input.totalFee;
  const burnt = paidAtOnce ? 0n : burntFee(totalFee, input);
  const minted = params.mintingAmount;
  const proposer = minted + totalFee - burnt;
  const payments = [{ address: rewardbase, amount: proposer }];
  return { minted, totalFee, burntFee: burnt, proposer, stakers: 0n, kif: 0n, kef: 0n, payments };
}

function sharedReward(input: RewardInput): BlockReward {
  const { rules, params } = input;
  const totalFee = params.deferredTxFee ? input.totalFee : 0n;
  const burnt = burntFee(totalFee, input);
  const staking = input.staking();
  const payments = new Payments();
  const shares = rules.kore
    ? koreShares(input, staking, totalFee - burnt, payments)
    : legacyShares(params, params.mintingAmount + totalFee - burnt);
  const paid = payFunds(shares, staking, payments);
  payProposer(paid.proposer, input, staking, payments);
  return {
    minted: params.mintingAmount,
    totalFee,
    burntFee: burnt,
    ...paid,
    stakers: shares.stakers,
    payments: payments.list(),
  };
}

interface Shares {
  readonly proposer: bigint;
  readonly stakers: bigint;
  readonly kif: bigint;
  readonly kef: bigint;
}

/** Before kore, the ratio splits minted amount and fees; the remainder goes to the infrastructure fund. */
function legacyShares(params: ParamSet, amount: bigint): Shares {
  const [proposer, , kef] = split(amount, params.ratio) as [bigint, bigint, bigint];
  return { proposer, stakers: 0n, kif: amount - proposer - kef, kef };
}

/** From kore on, the ratio splits the minted amount alone; the proposer gets the fees and the stakers' remainder. */
function koreShares(input: RewardInput, info: StakingInfo, fees: bigint, payments: Payments): Shares {
  const { params } = input;
  const minted = splitMinted(params);
  const { payments: toStakers, remainder } = stakerShares(minted.stakers, consolidatedNodes(info), {
    minimumStake: params.minimumStake,
    withPools: input.rules.prague,
  });
  for (const { address, amount } of toStakers) payments.add(address, amount);
  return { ...minted, proposer: minted.proposer + remainder + fees, stakers: minted.stakers - remainder };
}

function splitMinted({ mintingAmount, ratio, kip82Ratio }: ParamSet): Shares {
  const [validators, , kef] = split(mintingAmount, ratio) as [bigint, bigint, bigint];
  const [proposer, stakers] = split(validators, kip82Ratio) as [bigint, bigint];
  return { proposer, stakers, kif: mintingAmount - proposer - stakers - kef, kef };
}

function split(amount: bigint, ratio: string): bigint[] {
  return ratioParts(ratio).map((percent) => (amount * percent) / 100n);
}

/** The share of a fund without address goes to the proposer. */
function payFunds(
  shares: Shares,
  info: StakingInfo,
  payments: Payments,
): Pick<Shares, "proposer" | "kif" | "kef"> {
  const kif = isZeroBytes(info.kifAddress) ? 0n : shares.kif;
  const kef = isZeroBytes(info.kefAddress) ? 0n : shares.kef;
  if (!isZeroBytes(info.kifAddress)) payments.add(info.kifAddress, kif);
  if (!isZeroBytes(info.kefAddress)) payments.add(info.kefAddress, kef);
  return { proposer: shares.proposer + shares.kif - kif + shares.kef - kef, kif, kef };
}

/** From prague on, the proposer's liquidity pool gets its share, by stake. */
function payProposer(amount: bigint, input: RewardInput, info: StakingInfo, payments: Payments): void {
  const pool = input.rules.prague ? poolShare(amount, consolidatedNodes(info), input.rewardbase) : undefined;
  payments.add(input.rewardbase, amount - (pool?.amount ?? 0n));
  if (pool !== undefined) payments.add(pool.address, pool.amount);
}
