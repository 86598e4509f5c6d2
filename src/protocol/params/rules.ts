import type { ChainConfig } from "./config.ts";
import { FORKS, type Fork, type Rules } from "./forks.ts";
import { MAX_CODE_BYTES } from "./gas.ts";

/** Rule sets of one configuration by their active forks, one bit each, so that rules can be compared by identity. */
const rulesByConfig = new WeakMap<ChainConfig, Map<number, Rules>>();

/** The rule set in force at block `number`. Equal rules of one configuration are one object. */
export function rulesAt(config: ChainConfig, number: bigint): Rules {
  let known = rulesByConfig.get(config);
  if (known === undefined) {
    known = new Map();
    rulesByConfig.set(config, known);
  }
  const active = activeForks(config, number);
  let rules = known.get(active);
  if (rules === undefined) {
    rules = createRules(config.chainId, active, config.codeSizeLimit);
    known.set(active, rules);
  }
  return rules;
}

/** The rule set with the first `level` forks of `FORKS` active. */
export function rulesOfLevel(chainId: bigint, level: number): Rules {
  return createRules(chainId, 2 ** level - 1);
}

function createRules(chainId: bigint, active: number, codeSizeLimit = MAX_CODE_BYTES): Rules {
  const flags = Object.fromEntries(FORKS.map((fork, i) => [fork, ((active >> i) & 1) === 1]));
  return Object.freeze({ chainId, level: 32 - Math.clz32(active), codeSizeLimit, ...flags }) as Rules;
}

function activeForks(config: ChainConfig, number: bigint): number {
  let active = 0;
  for (let i = 0; i < FORKS.length; i++) {
    const activation = config.forks[FORKS[i] as Fork];
    if (activation !== undefined && activation <= number) active |= 1 << i;
  }
  return active;
}
