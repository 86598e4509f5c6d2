import type { ChainConfig } from "./config.ts";
import { FORKS, type Rules } from "./forks.ts";

/** Rule sets of one configuration by level; a level's rules are one object, so that they can be compared by identity. */
const rulesByConfig = new WeakMap<ChainConfig, readonly Rules[]>();

/** The rule set in force at block `number`. Equal levels of one configuration give the same object. */
export function rulesAt(config: ChainConfig, number: bigint): Rules {
  let table = rulesByConfig.get(config);
  if (table === undefined) {
    table = Array.from({ length: FORKS.length + 1 }, (_, level) => rulesOfLevel(config.chainId, level));
    rulesByConfig.set(config, table);
  }
  return table[levelAt(config, number)] as Rules;
}

/** The rule set with the first `level` forks of `FORKS` active. */
export function rulesOfLevel(chainId: bigint, level: number): Rules {
  const active = Object.fromEntries(FORKS.map((fork, i) => [fork, i < level]));
  return Object.freeze({ chainId, level, ...active }) as Rules;
}

function levelAt(config: ChainConfig, number: bigint): number {
  let level = 0;
  while (level < FORKS.length) {
    const activation = config.forks[FORKS[level] as (typeof FORKS)[number]];
    if (activation === undefined || activation > number) break;
    level++;
  }
  return level;
}
