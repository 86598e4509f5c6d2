import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createSeededRandomness } from "../../../src/platform/runtime/simulated.ts";
import { recordAcknowledged } from "./database/acknowledged.ts";
import { runCourses } from "./database/courses.ts";
import { readDeepDamage } from "./database/deep-damage.ts";
import { failingWrites, fillDisk } from "./database/disk-faults.ts";
import { failingCalls, limitedFiles } from "./database/failing-calls.ts";
import { type FlipCounts, filledSegments, readFlipped } from "./database/flips.ts";
import { lockOut, lockOutOfNamespace } from "./database/locks.ts";
import { losePages } from "./database/page-loss.ts";
import { losePower } from "./database/power-loss.ts";
import { type SampleFolder, sampleFolder } from "./database/sample-folder.ts";
import { type HostileRow, hold } from "./row.ts";

const STORE = "chaindata/store.mdb";

/** Changes `count` bits of the database's file anywhere, and a fifth as many within rows, history among them. */
async function flipStore(count: number): Promise<string> {
  const folder = await sampleFolder(40);
  const { bytes } = createSeededRandomness(12);
  const random = (below: number): number => new DataView(bytes(4).buffer).getUint32(0) % below;
  try {
    const { size } = statSync(join(folder.path, STORE));
    const anywhere = Array.from({ length: count }, () => ({
      file: STORE,
      byte: random(size),
      bit: random(8),
    }));
    const aimed = rowsOf(folder);
    hold(aimed.length > 50, "no rows of the contract in the file");
    const inRows = Array.from({ length: Math.max(3, Math.ceil(count / 5)) }, () => ({
      file: STORE,
      byte: (aimed[random(aimed.length)] as number) + random(24),
      bit: random(8),
    }));
    const all = await readFlipped(folder, anywhere);
    const rows = await readFlipped(folder, inRows);
    return `anywhere ${text(all)}; in rows ${text(rows)}; wrong answers: 0`;
  } finally {
    rmSync(folder.path, { recursive: true });
  }
}

/** Offsets in the file where a row starts with the contract's address: its account now and at earlier blocks. */
function rowsOf({ path, contract }: SampleFolder): number[] {
  const file = readFileSync(join(path, STORE));
  const needle = Buffer.from(contract.slice(2), "hex");
  const places: number[] = [];
  for (let at = file.indexOf(needle); at >= 0; at = file.indexOf(needle, at + 1)) places.push(at);
  return places;
}

function text({ unharmed, refused, died }: FlipCounts): string {
  return `${unharmed + refused + died}: ${refused} refused or answered as errors, ${unharmed} without effect, ${died} ended the process`;
}

/** Changes bits of the log of a node that was killed: this once lost all later blocks. */
async function flipLog(count: number): Promise<string> {
  const folder = await sampleFolder(40, { isKilled: true });
  const { bytes } = createSeededRandomness(18);
  const random = (below: number): number => new DataView(bytes(4).buffer).getUint32(0) % below;
  try {
    const [file] = filledSegments(folder.path);
    hold(file !== undefined, "no log in the folder");
    const { size } = statSync(join(folder.path, file));
    const places = Array.from({ length: count }, () => ({ file, byte: random(size), bit: random(8) }));
    const counts = await readFlipped(folder, places);
    hold(counts.refused === count, `only ${counts.refused} of ${count} were refused`);
    return `${counts.refused} of ${count} refused`;
  } finally {
    rmSync(folder.path, { recursive: true });
  }
}

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
    run: () => flipStore(100),
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
    run: () => flipLog(100),
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
