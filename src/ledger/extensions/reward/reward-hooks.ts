import type { ChainConfig, ParamReader } from "../../../protocol/params/config.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import type { BlockHooks, BlockOutcome } from "../../chain/consensus-rules.ts";
import type { StateJournal } from "../../state/journal-types.ts";
import type { StakingInfo } from "../staking/staking-info.ts";
import { blockReward } from "./block-reward.ts";

/** What rewards depend on besides the block. */
export interface RewardParts {
  readonly config: ChainConfig;
  readonly params: ParamReader;
  /** Stakes that count for a block. */
  readonly stakingAt: (number: bigint) => StakingInfo;
}

/** Pays the reward at the end of each block. */
export function rewardHooks({ config, params, stakingAt }: RewardParts): BlockHooks {
  return {
    finalize({ header, totalFee }: BlockOutcome, state: StateJournal): void {
      const { payments } = blockReward({
        rules: rulesAt(config, header.number),
        params: params.at(header.number),
        rewardbase: header.rewardbase,
        totalFee,
        staking: () => stakingAt(header.number),
      });
      for (const { address, amount } of payments) state.addBalance(address, amount);
    },
  };
}
