import * as fs from "node:fs";
import { RuntimeError } from "../errors.ts";
import { removeFile } from "../remove-file.ts";
import { openRegular } from "./regular-file.ts";

/**
 * Takes a lock file that contains the owner's process id and start mark; see `Files.lock`. The start mark tells a live owner from
 * another process that reuses its id, as in a restarted container.
 */
export function lockFile(path: string): () => void {
  const mine = `${process.pid} ${startMark(process.pid)}\n`;
  const candidate = `${path}.${process.pid}`;
  const file = fs.openSync(candidate, "w");
  try {
    fs.writeFileSync(file, mine);
    while (!link(candidate, path)) removeStaleLock(path);
  } finally {
    fs.closeSync(file);
    removeFile(candidate);
  }
  return () => {
    if (readIfExists(path) === mine) removeFile(path);
  };
}

/** Whether `path` was created; false if it exists. Linking is atomic and never exposes a half-written file. */
function link(from: string, path: string): boolean {
  try {
    fs.linkSync(from, path);
    return true;
  } catch (error) {
    return alreadyExists(error) ? false : copy(from, path);
  }
}

/** The same for file systems without hard links, such as some shared container volumes. */
function copy(from: string, path: string): boolean {
  try {
    fs.copyFileSync(from, path, fs.constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (alreadyExists(error)) return false;
    throw error;
  }
}

function alreadyExists(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EEXIST";
}

/**
 * Removes a lock file whose owner is dead, if there is one. Writes nothing, so that it works on a full disk.
 * @throws RuntimeError `LOCK_HELD` if its owner lives
 */
export function removeStaleLock(path: string): void {
  const content = readIfExists(path);
  if (content === undefined) return;
  const [pid, ...mark] = content.trim().split(" ");
  const owner = Number(pid);
  if (isAlive(owner) && startMark(owner) === mark.join(" "))
    throw new RuntimeError("LOCK_HELD", `process ${owner} is using ${path}`, { path, processId: owner });
  // Moved aside before it is checked again, so that only one of two processes that saw the same stale lock wins.
  const moved = `${path}.stale.${process.pid}`;
  try {
    fs.renameSync(path, moved);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (readIfExists(moved) !== content) link(moved, path);
  removeFile(moved);
}

function readIfExists(path: string): string | undefined {
  let file: number;
  try {
    file = openRegular(path, fs.constants.O_RDONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return fs.readFileSync(file, "utf8");
  } finally {
    fs.closeSync(file);
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Boot id and start time of a process, as reported by Linux; empty elsewhere, where the process id alone decides. */
function startMark(pid: number): string {
  try {
    const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    const fieldsAfterName = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return `${boot} ${fieldsAfterName[19]}`;
  } catch {
    return "";
  }
}
