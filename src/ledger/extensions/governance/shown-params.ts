import type { ParamSet } from "../../../protocol/params/config.ts";
import type { Rules } from "../../../protocol/params/forks.ts";

/**
 * Parameters as the API shows them: those that a fork has made meaningless get the value that says what happens now.
 * @see reference node v2.2.1, `kaia_getParams`
 */
export function shownParams(params: ParamSet, rules: Rules): ParamSet {
  return {
    ...params,
    ...(rules.kore && { useGiniCoeff: false }),
    ...(rules.randao && { proposerUpdateInterval: 1n }),
    ...(rules.kaia && { stakingUpdateInterval: 1n }),
  };
}
