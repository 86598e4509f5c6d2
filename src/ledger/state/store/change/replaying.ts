import { runSync } from "../../../../platform/runtime/turns/pace.ts";
import type { HeadState } from "../head-state.ts";
import type { LogEntry } from "../log/log-record.ts";
import { TrieStage } from "../trie-stage.ts";
import { expectRoot } from "./expect-root.ts";
import { applyRewind, prepareRewindInSteps } from "./rewinding.ts";

/** Replays a log entry and verifies the resulting root. @throws StateError `STATE_DAMAGED` */
export function replay(head: HeadState, entry: LogEntry): void {
  if (entry.type === "rows") head.put(entry.rows);
  else if (entry.type === "rewind") {
    const prepared = runSync(prepareRewindInSteps(head, entry.block.number));
    expectRoot(applyRewind(head, prepared, entry.block, entry.rows).root, entry.block);
  } else replayChange(head, entry);
}

type ChangeEntry = Extract<LogEntry, { type: "block" | "amend" }>;

function replayChange(head: HeadState, { type, block, changes, rows }: ChangeEntry): void {
  const { tables, history } = head;
  const flat = changes.map(({ key, after }) => ({ key, before: tables.flat.get(key), after }));
  const stage = new TrieStage(tables);
  expectRoot(stage.hashAll(head.root, flat), block);
  const { number, hash, root } = block;
  if (type === "block") history.add(number, head.block?.root, flat);
  else history.amend(flat);
  head.setHead(stage, { number, hash: hash.slice(), root: root.slice() }, flat);
  head.put(rows);
}
