import type { ChainConfig } from "./config.ts";
import { ParamsError } from "./errors.ts";
import { FORKS, type Fork } from "./forks.ts";

/**
 * Checks that the configured forks activate in order. A fork that is not set is skipped, as in the reference
 * node v2.2.1 (v1.12.1 rejected gaps).
 * @throws ParamsError `CONFIG_FORK_ORDER`
 */
export function checkForkOrder(forks: ChainConfig["forks"]): void {
  let before: { readonly fork: Fork; readonly block: bigint } | undefined;
  for (const fork of FORKS) {
    const block = forks[fork];
    if (block === undefined) continue;
    if (before !== undefined && before.block > block)
      throw disorder(`${before.fork}Block enabled at ${before.block}, but ${fork}Block enabled at ${block}`);
    before = { fork, block };
  }
}

function disorder(reason: string): ParamsError {
  return new ParamsError("CONFIG_FORK_ORDER", `unsupported fork ordering: ${reason}`);
}

/** Order in which a database's configuration is compared with a new one. */
const COMPARED: readonly Fork[] = FORKS.map((fork) =>
  fork === "randao" ? "kaia" : fork === "kaia" ? "randao" : fork,
);

interface Conflict {
  readonly error: ParamsError;
  /** Newest block that both configurations agree on. */
  readonly rewindTo: bigint;
}

/**
 * Finds the fork that a new configuration moves although the chain has passed it.
 * @param head - number of the newest block
 * @returns the lowest conflict and the block to go back to; undefined without one
 */
export function findIncompatibility(
  stored: ChainConfig["forks"],
  wanted: ChainConfig["forks"],
  head: bigint,
): Conflict | undefined {
  let lowest: Conflict | undefined;
  for (let height = head; ; ) {
    const conflict = firstConflict(stored, wanted, height);
    if (conflict === undefined || conflict.rewindTo === lowest?.rewindTo) return lowest;
    lowest = conflict;
    height = conflict.rewindTo;
  }
}

function firstConflict(
  stored: ChainConfig["forks"],
  wanted: ChainConfig["forks"],
  head: bigint,
): Conflict | undefined {
  const fork = COMPARED.find((name) => {
    const passed = (block: bigint | undefined) => block !== undefined && block <= head;
    return (passed(stored[name]) || passed(wanted[name])) && stored[name] !== wanted[name];
  });
  return fork && conflictOf(fork, stored[fork], wanted[fork]);
}

function conflictOf(fork: Fork, stored: bigint | undefined, wanted: bigint | undefined): Conflict {
  const storedFirst = wanted === undefined || (stored !== undefined && stored < wanted);
  const moved = (storedFirst ? stored : wanted) as bigint;
  const rewindTo = moved > 0n ? moved - 1n : 0n;
  const title = `${fork[0]?.toUpperCase()}${fork.slice(1)}`;
  const text = (block: bigint | undefined) => block ?? "<nil>";
  const message = `mismatching ${title} Block in database (have ${text(stored)}, want ${text(wanted)}, rewindto ${rewindTo})`;
  return {
    error: new ParamsError("CONFIG_INCOMPATIBLE", message, { fork, stored, wanted, rewindTo }),
    rewindTo,
  };
}
