import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { ByteTable } from "../../../database/table/byte-table.ts";
import { StateError } from "../../errors.ts";
import type { Row, StateStore } from "../../state.ts";
import type { FlatChange } from "../flat/flat-changes.ts";
import { type HeadState, staleState, whileCurrent } from "../head-state.ts";
import { reversalInSteps } from "../history/past-state.ts";
import { type BlockState, encodeLogEntry } from "../log/log-record.ts";
import { TrieStage } from "../trie-stage.ts";

/** Keys that are hashed in one step. */
const KEYS_A_STEP = 256;

/** What leads from the head to an earlier state. */
interface WayBack {
  readonly stage: TrieStage;
  readonly changes: readonly FlatChange[];
  readonly root: Hash;
}

/** @see StateStore.rewindInSteps */
export function* rewindInSteps(head: HeadState, number: bigint): Generator<void, StateStore["rewind"]> {
  const isCurrent = head.watch();
  const way = yield* whileCurrent(wayBackInSteps(head, number), isCurrent);
  return (to, rows) => {
    if (!isCurrent()) throw staleState();
    head.log.health.check();
    const block = goBack(head, way, to, rows);
    return { durable: head.log.recordUnlessFailing(encodeLogEntry({ type: "rewind", block, rows })) };
  };
}

/** @returns undefined where the block is the head */
export function* wayBackInSteps(head: HeadState, number: bigint): Generator<void, WayBack | undefined> {
  if (!head.block || number > head.block.number)
    throw new StateError("STATE_ORDER", `cannot go back to block ${number}`, { number });
  if (number === head.block.number) return undefined;
  const changes = yield* reversalInSteps(head.tables, yield* head.history.changesSince(number));
  const root = head.history.rootAfter(number);
  const stage = new TrieStage(head.tables, { rows: new ByteTable() });
  if (!equalBytes(yield* stage.hashInSteps(head.root, changes, KEYS_A_STEP), root))
    throw new StateError("STATE_DAMAGED", `going back to block ${number} gives another root`, { number });
  return { stage, changes, root };
}

/** Undoes blocks down to `to`, which becomes the head. */
export function goBack(
  head: HeadState,
  way: WayBack | undefined,
  { number, hash }: { number: bigint; hash: Hash },
  rows: readonly Row[],
): BlockState {
  if (way) {
    head.history.rewind(number);
    head.become(way.stage, { number, hash: hash.slice(), root: way.root }, way.changes);
  }
  head.put(rows);
  return head.block as BlockState;
}
