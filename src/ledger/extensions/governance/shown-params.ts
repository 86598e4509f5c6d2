import type { ParamSet } from "../../../protocol/params/config.ts";
import type { Rules } from "../../../protocol/params/forks.ts";

/**
 * Parameters as reported by the API: those made obsolete by a fork have values that reflect the actual behaviour.
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
