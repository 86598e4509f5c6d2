import type { ChainConfig, ParamReader } from "../../../protocol/params/config.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import type { BlockHooks, BlockOutcome } from "../../chain/execute/consensus-rules.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { StakingInfo } from "../staking/staking-info.ts";
import { blockReward } from "./block-reward.ts";

/** Dependencies of the reward hooks. */
export interface RewardParts {
  readonly config: ChainConfig;
  readonly params: ParamReader;
  /** Staking information in force at a block. */
  readonly stakingAt: (number: bigint) => StakingInfo;
}

/**
 * Pays the reward at the end of each block. Before magma, its fees are the gas used times the unit price in force, even if
 * a vote has just changed that price and a transaction still paid the old one.
 */
export function rewardHooks({ config, params, stakingAt }: RewardParts): BlockHooks {
  return {
    finalize({ header, gasUsed, totalFee }: BlockOutcome, state: StateJournal): void {
      const rules = rulesAt(config, header.number);
      const inForce = params.at(header.number);
      const { payments } = blockReward({
        rules,
        params: inForce,
        rewardbase: header.rewardbase,
        totalFee: rules.magma ? totalFee : gasUsed * inForce.unitPrice,
        staking: () => stakingAt(header.number),
      });
      for (const { address, amount } of payments) state.addBalance(address, amount);
    },
  };
}
