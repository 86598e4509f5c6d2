import type { Log } from "../../../protocol/block/receipt.ts";
import type { PlacedLog } from "../../../protocol/block/receipt-codec.ts";
import { type Address, equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import type { Chain } from "../chain.ts";
import { candidates } from "./candidates.ts";
import type { LogIndex } from "./log-index.ts";
import { ADDRESS, ANY_LOG, type Term, termOf } from "./term.ts";

/** The criteria of a log search. */
export interface LogFilter {
  /** Any of these; empty = any address. */
  readonly addresses: readonly Address[];
  /** For each position any of these topics; an empty position matches every topic, but one must exist. */
  readonly topics: readonly (readonly Hash[])[];
}

/** The logs found in a block; none if the search merely reports its progress. */
export interface FoundLogs {
  readonly blockNumber: bigint;
  readonly logs: readonly PlacedLog[];
}

/**
 * Finds matching logs in blocks `from` to `to`, inclusive, in block order. A generator, so that callers can stop early or
 * yield: it must be closed before the next block is committed, and a new search started after the last block returned.
 */
export function* searchLogs(
  chain: Pick<Chain, "head" | "logs"> & { readonly logIndex: LogIndex },
  filter: LogFilter,
  from: bigint,
  to: bigint,
): Generator<FoundLogs, undefined> {
  const last = to < chain.head.header.number ? to : chain.head.header.number;
  const groups = termsOf(filter);
  // `ANY_LOG` is posted only once per block with logs, so candidates have no indexes.
  const isAny = groups.length === 0;
  const found = candidates(chain.logIndex, isAny ? [[ANY_LOG]] : groups, Number(from), Number(last));
  for (const { block, indexes } of found) {
    const blockNumber = BigInt(block);
    const logs = indexes.length === 0 ? [] : chain.logs(blockNumber, isAny ? undefined : indexes);
    yield { blockNumber, logs: logs.filter(({ log }) => matches(filter, log)) };
  }
}

/** The logs of one block that match. */
export function logsOfBlock(chain: Pick<Chain, "logs">, filter: LogFilter, number: bigint): PlacedLog[] {
  return chain.logs(number).filter(({ log }) => matches(filter, log));
}

/** Whether a log matches a filter. */
export function matches({ addresses, topics }: LogFilter, log: Log): boolean {
  if (addresses.length > 0 && !includes(addresses, log.address)) return false;
  if (topics.length > log.topics.length) return false;
  return topics.every((wanted, i) => wanted.length === 0 || includes(wanted, log.topics[i] as Hash));
}

function includes(list: readonly Uint8Array[], value: Uint8Array): boolean {
  return list.some((member) => equalBytes(member, value));
}

/** Groups of terms; a log must have one of each group. */
function termsOf({ addresses, topics }: LogFilter): Term[][] {
  return [addresses, ...topics]
    .map((values, position) => [...new Set(values.map((value) => termOf(ADDRESS + position, value)))])
    .filter((terms) => terms.length > 0);
}
