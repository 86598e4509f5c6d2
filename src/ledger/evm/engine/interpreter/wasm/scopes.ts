// Commit and revert of a frame's changes to slots, logs, refund counter and callable accounts.
import { clearSlots, revertSlots } from "./slots";
import { keepAccounts } from "./accounts";
import { logsEnd, revertLogs } from "./logs";
import {
  ACCOUNT_COUNT, FRAME_ACCOUNTS, FRAME_LOGS, FRAME_REFUND, FRAME_SIZE, FRAME_UNDO, FRAMES, LOG_TOP, LOGS, LOGS_MOVED, MODEXP_CALLER, NO_CALLER,
  REFUND, CACHE_ENABLED, SCOPE, UNDO, UNDO_TOP,
} from "../../layout";

/** Resets everything for a new run. @param usesCache - whether the run keeps its slots, logs and callees in linear memory */
export function beginRun(usesCache: u32): void {
  clearSlots();
  keepAccounts(0);
  store<u32>(CACHE_ENABLED, usesCache);
  store<i64>(REFUND, 0);
  store<u32>(UNDO_TOP, UNDO);
  store<u32>(LOG_TOP, LOGS);
  store<u32>(LOGS_MOVED, 0);
  store<u32>(SCOPE, 0);
  store<u32>(MODEXP_CALLER, NO_CALLER);
}

/** Records the current state as a frame begins. */
export function openScope(frame: usize): void {
  store<u32>(SCOPE, load<u32>(SCOPE) + 1);
  store<u32>(frame, load<u32>(UNDO_TOP), FRAME_UNDO);
  store<u32>(frame, logsEnd(), FRAME_LOGS);
  store<i64>(frame, load<i64>(REFUND), FRAME_REFUND);
  store<u32>(frame, load<u32>(ACCOUNT_COUNT), FRAME_ACCOUNTS);
}

/** Commits a frame. Once a frame directly below the outermost one is committed, the undo log is obsolete. */
export function commitScope(frame: usize): void {
  if (frame == FRAMES + FRAME_SIZE) store<u32>(UNDO_TOP, UNDO);
}

/** Reverts all changes since a frame began. */
export function revertScope(frame: usize): void {
  store<u32>(SCOPE, load<u32>(SCOPE) + 1);
  revertSlots(load<u32>(frame, FRAME_UNDO));
  revertLogs(load<u32>(frame, FRAME_LOGS));
  store<i64>(REFUND, load<i64>(frame, FRAME_REFUND));
  keepAccounts(load<u32>(frame, FRAME_ACCOUNTS));
}
