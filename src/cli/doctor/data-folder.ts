import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { bad, doubtful, type Finding, good } from "./finding.ts";

const GIB = 2 ** 30;
const MIN_FREE_BYTES = GIB;
const ENOUGH_ROOM = 20 * GIB;
/** Bits of a mode by which others read or write. */
const OTHERS = 0o077;
/** How far a file may be ahead of the clock. */
const MAX_AHEAD_MS = 60_000;
/** Maximum key files checked. */
const MAX_KEYS = 10_000;

/** Whether a data folder can be used: its owner, its disk, its keys, its times. @param now - epoch milliseconds */
export function checkFolder(folder: string, now: number): Finding[] {
  const there = nearestExisting(folder);
  const findings = [checkAccess(folder, there), checkDisk(statfsSync(there))];
  if (!existsSync(folder)) return findings;
  findings.push(checkKeys(folder));
  const clock = checkClock(folder, now);
  return clock === undefined ? findings : [...findings, clock];
}

/** The folder itself, or its nearest existing parent. */
function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

function checkAccess(folder: string, there: string): Finding {
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

/** Whether a disk has enough free space. @param disk - as `statfs` describes it */
export function checkDisk({ bavail, bsize }: Record<"bavail" | "bsize", number>): Finding {
  const room = bavail * bsize;
  const text = `${(room / GIB).toFixed(1)} GiB free`;
  if (room < MIN_FREE_BYTES)
    return bad("disk", text, "free some, or choose a folder on another disk with --datadir");
  if (room < ENOUGH_ROOM)
    return doubtful("disk", text, "enough for a development chain; a public network grows beyond it");
  return good("disk", text);
}

function checkKeys(folder: string): Finding {
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
  const names = existsSync(keystore) ? readdirSync(keystore).slice(0, MAX_KEYS) : [];
  return [join(folder, "nodekey"), ...names.map((name) => join(keystore, name))];
}

/** A file from the future shows that the clock was set back. */
function checkClock(folder: string, now: number): Finding | undefined {
  const newest = Math.max(...readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs), 0);
  if (newest === 0) return undefined;
  const time = new Date(now).toISOString();
  if (newest <= now + MAX_AHEAD_MS) return good("clock", time);
  const text = `${time}, but the folder was written at ${new Date(newest).toISOString()}`;
  return bad(
    "clock",
    text,
    "set it, and keep it in sync with NTP: other nodes reject blocks from the future",
  );
}
