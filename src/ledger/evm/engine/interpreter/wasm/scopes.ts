// What a frame has done to slots, logs, refund and callable accounts stands or falls with it.
import { clearSlots, revertSlots } from "./slots";
import { keepAccounts } from "./accounts";
import { logsEnd, revertLogs } from "./logs";
import {
  ACCOUNT_COUNT, FRAME_ACCOUNTS, FRAME_LOGS, FRAME_REFUND, FRAME_SIZE, FRAME_UNDO, FRAMES, LOG_TOP, LOGS, LOGS_TAKEN, REFUND, RUN_KEEPS,
  SCOPE, UNDO, UNDO_TOP,
} from "../../layout";

/** Empties everything for a new run. @param keeps - whether the run keeps its slots, logs and callees here */
export function beginRun(keeps: u32): void {
  clearSlots();
  keepAccounts(0);
  store<u32>(RUN_KEEPS, keeps);
  store<i64>(REFUND, 0);
  store<u32>(UNDO_TOP, UNDO);
  store<u32>(LOG_TOP, LOGS);
  store<u32>(LOGS_TAKEN, 0);
  store<u32>(SCOPE, 0);
}

/** Notes where everything stands as a frame begins. */
export function openScope(frame: usize): void {
  store<u32>(SCOPE, load<u32>(SCOPE) + 1);
  store<u32>(frame, load<u32>(UNDO_TOP), FRAME_UNDO);
  store<u32>(frame, logsEnd(), FRAME_LOGS);
  store<i64>(frame, load<i64>(REFUND), FRAME_REFUND);
  store<u32>(frame, load<u32>(ACCOUNT_COUNT), FRAME_ACCOUNTS);
}

/** A frame has ended well. What frames right below the outermost one did needs no undoing any more. */
export function commitScope(frame: usize): void {
  if (frame == FRAMES + FRAME_SIZE) store<u32>(UNDO_TOP, UNDO);
}

/** Undoes all since a frame began. */
export function revertScope(frame: usize): void {
  store<u32>(SCOPE, load<u32>(SCOPE) + 1);
  revertSlots(load<u32>(frame, FRAME_UNDO));
  revertLogs(load<u32>(frame, FRAME_LOGS));
  store<i64>(REFUND, load<i64>(frame, FRAME_REFUND));
  keepAccounts(load<u32>(frame, FRAME_ACCOUNTS));
}
