import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { ByteTable } from "../../../database/table/byte-table.ts";
import { StateError } from "../../errors.ts";
import type { Row, StateStore } from "../../state.ts";
import type { FlatChange } from "../flat/flat-changes.ts";
import { type HeadState, staleState, whileCurrent } from "../head-state.ts";
import { reversalInSteps } from "../history/past-state.ts";
import { type BlockState, encodeLogEntry } from "../log/log-record.ts";
import { TrieStage } from "../trie-stage.ts";

/** Keys hashed per step. */
const KEYS_PER_STEP = 256;

/** The changes from the head back to an earlier state, hashed but not applied. */
interface PreparedRewind {
  readonly stage: TrieStage;
  readonly changes: readonly FlatChange[];
  readonly root: Hash;
}

/** @see StateStore.rewindInSteps */
export function* rewindInSteps(head: HeadState, number: bigint): Generator<void, StateStore["rewind"]> {
  const isCurrent = head.watch();
  const prepared = yield* whileCurrent(prepareRewindInSteps(head, number), isCurrent);
  return (to, rows) => {
    if (!isCurrent()) throw staleState();
    head.log.health.check();
    const block = applyRewind(head, prepared, to, rows);
    return { durable: head.log.recordUnlessFailing(encodeLogEntry({ type: "rewind", block, rows })) };
  };
}

/** Prepares a rewind to a block. @returns undefined if the block is the head */
export function* prepareRewindInSteps(
  head: HeadState,
  number: bigint,
): Generator<void, PreparedRewind | undefined> {
  if (!head.block || number > head.block.number)
    throw new StateError("STATE_ORDER", `cannot rewind to block ${number}`, { number });
  if (number === head.block.number) return undefined;
  const changes = yield* reversalInSteps(head.tables, yield* head.history.changesSince(number));
  const root = head.history.rootAfter(number);
  const stage = new TrieStage(head.tables, { rows: new ByteTable() });
  if (!equalBytes(yield* stage.hashInSteps(head.root, changes, KEYS_PER_STEP), root))
    throw new StateError("STATE_DAMAGED", `rewinding to block ${number} gives another root`, { number });
  return { stage, changes, root };
}

/** Undoes the blocks above the target, which becomes the head. */
export function applyRewind(
  head: HeadState,
  prepared: PreparedRewind | undefined,
  { number, hash }: { number: bigint; hash: Hash },
  rows: readonly Row[],
): BlockState {
  if (prepared) {
    head.history.rewind(number);
    head.setHead(prepared.stage, { number, hash: hash.slice(), root: prepared.root }, prepared.changes);
  }
  head.put(rows);
  return head.block as BlockState;
}
