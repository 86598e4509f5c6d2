import { recordAcknowledged } from "./database/acknowledged.ts";
import { runCourses } from "./database/courses.ts";
import { flipLog, flipStore, loseFiles } from "./database/damage-rows.ts";
import { readDeepDamage } from "./database/deep-damage.ts";
import { failingWrites, fillDisk } from "./database/disk-faults.ts";
import { failingCalls, limitedFiles } from "./database/failing-calls.ts";
import { lockOut, lockOutOfNamespace } from "./database/locks.ts";
import { losePages } from "./database/page-loss.ts";
import { losePower } from "./database/power-loss.ts";
import type { HostileRow } from "./row.ts";

/** Data on disk. */
export const databaseRows: readonly HostileRow[] = [
  {
    id: "R3",
    promise: "after a power loss the head is the last acknowledged block or one after it (short: 50 cuts)",
    run: () => losePower(50, 1),
  },
  {
    id: "R3l",
    promise: "after a power loss the head is the last acknowledged block or one after it",
    isLong: true,
    run: () => losePower(1_000, 1_000),
  },
  {
    id: "R3p",
    promise: "the same for LMDB's unsynced pages, last page and creation (short: 50 cuts)",
    run: () => losePages(50, 1),
  },
  {
    id: "R3pl",
    promise: "the same for LMDB's unsynced pages, last page and creation",
    isLong: true,
    run: () => losePages(1_000, 1_000),
  },
  {
    id: "R3s",
    promise: "cuts, kills, failing writes and clock steps of one seed lose nothing acknowledged (short: 50)",
    run: () => runCourses(50, 1),
  },
  {
    id: "R3sl",
    promise: "cuts, kills, failing writes and clock steps of one seed lose nothing acknowledged",
    isLong: true,
    run: () => runCourses(1_000, 1_000),
  },
  {
    id: "R3d",
    promise: "what is acknowledged has been synced, by the node's system calls",
    run: recordAcknowledged,
  },
  {
    id: "R4",
    promise: "a flipped bit in the database never causes a wrong response (short: 7 bits)",
    run: () => flipStore(4),
  },
  {
    id: "R4l",
    promise: "a flipped bit in the database never causes a wrong response",
    isLong: true,
    run: () => flipStore(500),
  },
  {
    id: "R4a",
    promise: "a flipped bit in the log is detected, and no block is lost (short: 3 bits)",
    run: () => flipLog(3),
  },
  {
    id: "R4al",
    promise: "a flipped bit in the log is detected, and no block is lost",
    isLong: true,
    run: () => flipLog(150),
  },
  {
    id: "R4g",
    promise:
      "a folder of which a file is lost, cut or zeroed is refused, or whole, or says what it lacks (short: each file of a node killed after a restart, once)",
    run: () => loseFiles(1, ["restarted"]),
  },
  {
    id: "R4gl",
    promise: "a folder of which a file is lost, cut or zeroed is refused, or whole, or says what it lacks",
    isLong: true,
    run: () => loseFiles(10, ["stopped", "killed", "restarted"]),
  },
  {
    id: "R4d",
    promise: "no command that reads a damaged database is killed by a signal (short: 3 copies)",
    run: () => readDeepDamage(3),
  },
  {
    id: "R4dl",
    promise: "no command that reads a damaged database is killed by a signal",
    isLong: true,
    run: () => readDeepDamage(60),
  },
  {
    id: "R5",
    promise: "a full disk stops only writes, and only while it is full (short: 4 MiB)",
    run: () => fillDisk(4),
  },
  {
    id: "R5l",
    promise: "a full disk stops only writes, and only while it is full",
    isLong: true,
    run: () => fillDisk(12),
  },
  {
    id: "R5a",
    promise: "an error at every n-th write to the log loses nothing acknowledged",
    run: () => failingWrites(6),
  },
  {
    id: "R5n",
    promise: "an error at every n-th write and sync of the log and LMDB's file stops only writes (short: 12)",
    run: () => failingCalls(11),
  },
  {
    id: "R5nl",
    promise: "an error at every n-th write and sync of the log and LMDB's file stops only writes",
    isLong: true,
    run: () => failingCalls(39),
  },
  {
    id: "R5f",
    promise: "a file size limit stops only writes, and only while it applies",
    run: () => limitedFiles(4),
  },
  {
    id: "R6",
    promise: "only one process at a time uses a folder",
    run: lockOut,
  },
  {
    id: "R6n",
    promise: "the same for processes that cannot see each other, as in containers on one volume",
    run: lockOutOfNamespace,
  },
];
