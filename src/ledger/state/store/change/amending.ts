import { equalBytes } from "../../../../protocol/primitives/bytes.ts";
import { ByteTable } from "../../../database/table/byte-table.ts";
import { StateError } from "../../errors.ts";
import type { Amendment, StateChanges } from "../../state.ts";
import { codeRows } from "../code-store.ts";
import { type FlatChange, resolveChanges } from "../flat/flat-changes.ts";
import { type HeadState, staleState } from "../head-state.ts";
import { type BlockState, encodeLogEntry, encodeLogEntryInSteps } from "../log/log-record.ts";
import { TrieStage } from "../trie-stage.ts";
import { expectRoot } from "./expect-root.ts";

/** Changes measured per step. */
const CHANGES_PER_STEP = 512;
/** Estimated memory of a change besides its key and rows, in bytes. */
const CHANGE_BYTES = 300;

/**
 * Changes the head's state without a block. All slow work is done before anything changes; the last step applies the
 * change in time independent of the number of rows.
 * @see StateStore.amend
 */
export function* amendInSteps(
  head: HeadState,
  { accounts, codes }: StateChanges,
): Generator<void, Amendment> {
  head.log.health.check();
  const before = head.block;
  if (!before) throw new StateError("STATE_ORDER", "there is no state to amend");
  const isCurrent = head.watch();
  const stage = new TrieStage(head.tables, { rows: new ByteTable() });
  const changes = yield* resolveChanges(head.tables.flat, accounts, stage.hashSlots);
  const block = { ...before, root: yield* stage.hashAccountsInSteps(before.root, changes) };
  const rows = codeRows(codes);
  const record = yield* encodeLogEntryInSteps({ type: "amend", block, changes, rows });
  const note = yield* head.history.amendInSteps(changes);
  const put = yield* head.putInSteps(rows);
  const bytes = yield* sizeOfChanges(changes);
  if (!isCurrent()) throw staleState();
  head.log.health.check();
  note();
  head.setHead(stage, block, changes);
  put();
  return {
    durable: head.log.recordUnlessFailing(record),
    bytes,
    undo: () => ({ durable: undo(head, { amended: block, before }, changes) }),
  };
}

/** Undoes an amendment of the present head. */
function undo(
  head: HeadState,
  { amended, before }: { amended: BlockState; before: BlockState },
  changes: readonly FlatChange[],
): Promise<void> {
  if (!head.block || !equalBytes(head.block.hash, amended.hash) || !equalBytes(head.root, amended.root)) {
    const details = { number: before.number };
    throw new StateError("STATE_STALE", "the state has changed since the amendment", details);
  }
  const reversed = changes.map(({ key, before: row, after }) => ({
    key,
    before: after ?? undefined,
    after: row ?? null,
  }));
  const stage = new TrieStage(head.tables);
  expectRoot(stage.hashAll(amended.root, reversed), before);
  head.history.amend(reversed);
  head.setHead(stage, before, reversed);
  return head.log.recordUnlessFailing(
    encodeLogEntry({ type: "amend", block: before, changes: reversed, rows: [] }),
  );
}

/** Estimated memory of changes, in bytes. */
function* sizeOfChanges(changes: readonly FlatChange[]): Generator<void, number> {
  let bytes = CHANGE_BYTES * changes.length;
  for (const [i, { key, before, after }] of changes.entries()) {
    bytes += key.length + (before?.length ?? 0) + (after?.length ?? 0);
    if (i % CHANGES_PER_STEP === CHANGES_PER_STEP - 1) yield;
  }
  return bytes;
}
