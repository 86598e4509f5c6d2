import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { bad, doubtful, type Finding, good } from "./finding.ts";

const GIB = 2 ** 30;
const LEAST_ROOM = GIB;
const ENOUGH_ROOM = 20 * GIB;
/** Bits of a mode by which others read or write. */
const OTHERS = 0o077;
/** How far a file may be ahead of the clock. */
const MOST_AHEAD_MS = 60_000;
/** Most key files checked. */
const MOST_KEYS = 10_000;

/** Whether a data folder can be used: its owner, its disk, its keys, its times. @param now - epoch milliseconds */
export function lookAtFolder(folder: string, now: number): Finding[] {
  const there = nearestThere(folder);
  const findings = [lookAtAccess(folder, there), lookAtRoom(statfsSync(there))];
  if (!existsSync(folder)) return findings;
  findings.push(lookAtKeys(folder));
  const clock = lookAtTimes(folder, now);
  return clock === undefined ? findings : [...findings, clock];
}

/** The folder itself, or the one in which it would be made. */
function nearestThere(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestThere(dirname(folder));
}

function lookAtAccess(folder: string, there: string): Finding {
  try {
    accessSync(there, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return bad(
      "data folder",
      `${folder} cannot be written`,
      `give it to the node's user: chown -R USER ${there}`,
    );
  }
  return good("data folder", there === folder ? folder : `${folder}, which the first start creates`);
}

/** Whether a disk has room. @param disk - as `statfs` describes it */
export function lookAtRoom({ bavail, bsize }: Record<"bavail" | "bsize", number>): Finding {
  const room = bavail * bsize;
  const text = `${(room / GIB).toFixed(1)} GiB free`;
  if (room < LEAST_ROOM)
    return bad("disk", text, "free some, or choose a folder on another disk with --datadir");
  if (room < ENOUGH_ROOM)
    return doubtful("disk", text, "enough for a development chain; a public network grows beyond it");
  return good("disk", text);
}

function lookAtKeys(folder: string): Finding {
  if (process.platform === "win32") return good("keys", "their permissions are those of the folder");
  const open = keyFiles(folder).filter((path) => existsSync(path) && (statSync(path).mode & OTHERS) !== 0);
  if (open.length === 0) return good("keys", "only their owner can read them");
  const [first = ""] = open;
  const others = open.length === 1 ? "" : ` and ${open.length - 1} more`;
  return bad(
    "keys",
    `others can read ${first}${others}`,
    `chmod -R go-rwx ${first}${others && ` ${join(folder, "keystore")}`}`,
  );
}

function keyFiles(folder: string): readonly string[] {
  const keystore = join(folder, "keystore");
  const names = existsSync(keystore) ? readdirSync(keystore).slice(0, MOST_KEYS) : [];
  return [join(folder, "nodekey"), ...names.map((name) => join(keystore, name))];
}

/** What was written later than now tells that the clock was set back. */
function lookAtTimes(folder: string, now: number): Finding | undefined {
  const newest = Math.max(...readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs), 0);
  if (newest === 0) return undefined;
  const time = new Date(now).toISOString();
  if (newest <= now + MOST_AHEAD_MS) return good("clock", time);
  const text = `${time}, but the folder was written at ${new Date(newest).toISOString()}`;
  return bad(
    "clock",
    text,
    "set it, and keep it in sync with NTP: other nodes reject blocks from the future",
  );
}
