import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { basename, dirname, join } from "node:path";
import { RuntimeError } from "../errors.ts";
import type { Lock } from "../files.ts";
import { removeFile } from "../remove-file.ts";
import { lockFile, removeStaleLock } from "./lock-file.ts";

/** An owner that has not replied after this long, because it is suspended or busy, counts as alive. */
const REPLY_TIMEOUT_MS = 700;
/** How often a starting process checks another one that starts at the same time. */
const RIVAL_POLL_MS = 20;
/** A socket that still has no listener after this long was left by a dead process. */
const STALE_DRAFT_MS = 60_000;
/** Longest socket path that every system accepts, in bytes. */
const MAX_SOCKET_PATH_BYTES = 100;

/** A process that listens at a socket. */
interface Rival {
  readonly name: string;
  /** Whether it has the lock, or tries to get it. */
  readonly isHeld: boolean;
  readonly processId: number | undefined;
}

/**
 * Takes a lock; see `Files.lock`. The owner listens on a socket beside the path: whether a socket has a listener is up to the
 * kernel, across containers, and a killed owner has none. Socket names are never reused, so that a dead one can be removed; of
 * two processes that start at once, the first by name wins. On file systems without sockets, a file with the process id is the
 * fallback; such files of an earlier version are respected everywhere.
 * @throws RuntimeError `LOCK_HELD`
 */
export async function takeLock(path: string): Promise<Lock> {
  const prefix = `${basename(path)}-`;
  const name = `${prefix}${randomBytes(6).toString("hex")}`;
  const folder = openFolder(dirname(path));
  let isHeld = false;
  const server = await listen(join(folder.path, name), () => `${isHeld ? "held" : "trying"} ${process.pid}`);
  if (server === undefined) {
    folder.close();
    return { release: lockFile(path), isThere: () => fs.existsSync(path) };
  }
  const release = (): void => {
    removeFile(join(folder.path, name));
    server.close();
    folder.close();
  };
  try {
    removeStaleLock(path);
    while (!isHeld) {
      const rivals = await liveRivals(folder.path, prefix, name);
      const winner = rivals.find((rival) => rival.isHeld || rival.name < name);
      if (winner) throw held(path, winner);
      isHeld = rivals.length === 0;
      if (!isHeld) await new Promise((resolve) => setTimeout(resolve, RIVAL_POLL_MS));
    }
    return { release, isThere: () => fs.existsSync(join(dirname(path), name)) };
  } catch (error) {
    release();
    throw error;
  }
}

function held(path: string, { processId }: Rival): RuntimeError {
  return new RuntimeError("LOCK_HELD", `process ${processId ?? "of another machine"} is using ${path}`, {
    path,
    processId,
  });
}

/** The other sockets with a listener. Those without one are removed. */
async function liveRivals(directory: string, prefix: string, mine: string): Promise<Rival[]> {
  const names = fs.readdirSync(directory).filter((name) => name.startsWith(prefix) && name !== mine);
  const rivals = await Promise.all(names.map((name) => probe(directory, name)));
  return rivals.filter((rival) => rival !== undefined);
}

function probe(directory: string, name: string): Promise<Rival | undefined> {
  return new Promise((resolve) => {
    const path = join(directory, name);
    const socket = connect(path);
    let isSilent = false;
    const timer = setTimeout(() => {
      isSilent = true;
      socket.destroy();
    }, REPLY_TIMEOUT_MS);
    let text = "";
    let isDead = false;
    socket.setEncoding("latin1");
    socket.on("data", (part: string) => {
      text = (text + part).slice(0, 64);
    });
    socket.on("error", ({ code }: NodeJS.ErrnoException) => {
      isDead = code === "ECONNREFUSED" || code === "ENOTSOCK" || code === "ENOENT";
    });
    socket.on("close", () => {
      clearTimeout(timer);
      // A socket that is about to be renamed may have no listener yet.
      if (isDead && !(name.endsWith(DRAFT) && isRecent(path))) removeFile(path);
      const [state, processId] = text.split(" ");
      const rival = { isHeld: isSilent || state === "held", processId: Number(processId) || undefined };
      // A rival that closed the connection without a reply is shutting down, and no longer competes.
      resolve(isDead ? undefined : { ...rival, name: text || isSilent ? name : GONE });
    });
  });
}

function isRecent(path: string): boolean {
  const { mtimeMs } = fs.lstatSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0 };
  return Math.abs(Date.now() - mtimeMs) < STALE_DRAFT_MS;
}

/** Sorts after all names. */
const GONE = "~";
/** Suffix of a socket without a listener yet. */
const DRAFT = ".new";

/** @returns undefined if the file system has no sockets */
async function listen(path: string, answer: () => string): Promise<Server | undefined> {
  if (process.platform === "win32" || Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) return undefined;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.end(answer());
  });
  const isListening = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(`${path}${DRAFT}`, () => resolve(true));
  });
  if (!isListening) return undefined;
  server.on("error", () => {});
  server.unref();
  fs.renameSync(`${path}${DRAFT}`, path);
  return server;
}

/** A folder by a path short enough for a socket in it: through `/proc` on Linux. */
function openFolder(directory: string): { readonly path: string; close(): void } {
  if (process.platform !== "linux") return { path: directory, close: () => {} };
  const folder = fs.openSync(directory, "r");
  return { path: `/proc/self/fd/${folder}`, close: () => fs.closeSync(folder) };
}
