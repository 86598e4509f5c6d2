import { bloomContains } from "../../protocol/block/bloom.ts";
import type { Log } from "../../protocol/block/receipt.ts";
import { type Address, equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import type { Blockchain } from "./blockchain.ts";
import {
  type BlockSet,
  blocksOf,
  blocksWithAny,
  fullSections,
  intersection,
  LOG_INDEX_TABLE,
  SECTION_SIZE,
} from "./log-index.ts";

/** What a log must be like. */
export interface LogFilter {
  /** Any of these; empty = any address. */
  readonly addresses: readonly Address[];
  /** For each place any of these topics; an empty place matches every topic, but one must be there. */
  readonly topics: readonly (readonly Hash[])[];
}

/** A log and where it stands. */
export interface LocatedLog {
  readonly log: Log;
  readonly blockNumber: bigint;
  readonly transactionIndex: number;
  /** Place among the logs of the block. */
  readonly logIndex: number;
}

/**
 * Finds the logs of the blocks `from` to `to`, both included, in their order. A generator, so that a caller can stop
 * when it has enough or has waited too long.
 */
export function* searchLogs(
  chain: Blockchain,
  filter: LogFilter,
  from: bigint,
  to: bigint,
): Generator<LocatedLog, undefined> {
  const last = to < chain.head.header.number ? to : chain.head.header.number;
  const groups = [filter.addresses, ...filter.topics].filter((group) => group.length > 0);
  for (const number of candidates(chain, groups, from, last)) yield* logsOfBlock(chain, filter, number);
}

/** The logs of one block that match. */
export function* logsOfBlock(
  chain: Pick<Blockchain, "receipts">,
  filter: LogFilter,
  blockNumber: bigint,
): Generator<LocatedLog, undefined> {
  let logIndex = 0;
  for (const [transactionIndex, { logs }] of (chain.receipts(blockNumber) ?? []).entries()) {
    for (const log of logs) {
      if (matches(filter, log)) yield { log, blockNumber, transactionIndex, logIndex };
      logIndex++;
    }
  }
}

/** Whether a log is what a filter looks for. */
export function matches({ addresses, topics }: LogFilter, log: Log): boolean {
  if (addresses.length > 0 && !includes(addresses, log.address)) return false;
  if (topics.length > log.topics.length) return false;
  return topics.every((wanted, i) => wanted.length === 0 || includes(wanted, log.topics[i] as Hash));
}

function includes(list: readonly Uint8Array[], value: Uint8Array): boolean {
  return list.some((member) => equalBytes(member, value));
}

/** Numbers of the blocks whose blooms hold one value of each group, ascending. */
function* candidates(
  chain: Blockchain,
  groups: readonly (readonly Uint8Array[])[],
  from: bigint,
  to: bigint,
): Generator<bigint> {
  const size = BigInt(SECTION_SIZE);
  // The newest full section is indexed with the block after it.
  const indexed = BigInt(fullSections(chain.head.header.number - 1n)) * size;
  let number = from;
  while (number <= to && number < indexed && groups.length > 0) {
    const start = number - (number % size);
    for (const place of blocksOf(sectionCandidates(chain, groups, Number(start / size)))) {
      const candidate = start + BigInt(place);
      if (candidate >= from && candidate <= to) yield candidate;
    }
    number = start + size;
  }
  for (; number <= to; number++) {
    const bloom = chain.bloom(number);
    if (bloom !== undefined && groups.every((group) => group.some((value) => bloomContains(bloom, value)))) {
      yield number;
    }
  }
}

function sectionCandidates(
  chain: Blockchain,
  groups: readonly (readonly Uint8Array[])[],
  section: number,
): BlockSet {
  const read = (key: Uint8Array) => chain.store.get(LOG_INDEX_TABLE, key)?.slice();
  return groups.map((group) => blocksWithAny(section, group, read)).reduce(intersection);
}
