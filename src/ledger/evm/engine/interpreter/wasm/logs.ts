// Logs of a run, in sequence; the host moves them out when there is no room for the next, and when the run ends.
import * as word from "./word";
import { FRAME_ADDRESS, LOG_DATA_SIZE, LOG_TOP, LOG_TOPICS, LOG_WORDS, LOGS, LOGS_END, LOGS_MOVED, CACHE_ENABLED } from "../../layout";

/** Writes a log whose topics are the words below `top`, the first one on top. Returns false if the host has to. */
export function writeLog(frame: usize, topics: u32, top: usize, data: usize, size: u32): bool {
  const at = <usize>load<u32>(LOG_TOP), words = at + LOG_WORDS, start = words + ((<usize>topics + 1) << 5);
  const end = (<u64>start + <u64>size + 7) & ~7;
  if (!load<u32>(CACHE_ENABLED) || end > <u64>LOGS_END) return false;
  store<u32>(at, <u32>(end - <u64>at));
  store<u32>(at, topics, LOG_TOPICS);
  store<u32>(at, size, LOG_DATA_SIZE);
  word.copy(words, frame + FRAME_ADDRESS);
  for (let i: usize = 1; i <= <usize>topics; i++) word.copy(words + (i << 5), top - (i << 5));
  memory.copy(start, data, size);
  store<u32>(LOG_TOP, <u32>end);
  return true;
}

/** End of the logs, relative to the first one of the run. */
export function logsEnd(): u32 {
  return load<u32>(LOGS_MOVED) + load<u32>(LOG_TOP) - LOGS;
}

/** Removes all logs from `end` on; the host removes those that it has moved out when it moves out more. */
export function revertLogs(end: u32): void {
  const moved = load<u32>(LOGS_MOVED);
  store<u32>(LOG_TOP, end > moved ? LOGS + end - moved : LOGS);
  if (end < moved) store<u32>(LOGS_MOVED, end);
}
