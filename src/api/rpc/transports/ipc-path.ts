import { chmodSync, lstatSync, mkdirSync, unlinkSync } from "node:fs";
import { createConnection, type Server } from "node:net";
import { dirname } from "node:path";
import { isMainThread } from "node:worker_threads";
import { NodeError } from "../../../protocol/primitives/errors.ts";

/** Longest path of a unix socket, in bytes; Node silently truncates a longer one. */
const MAX_PATH = process.platform === "linux" ? 107 : 103;
/** A node that does not respond in this time counts as running. */
const PROBE_MS = 2000;

/** No socket can have this path. */
export class IpcPathError extends NodeError<"IPC_PATH"> {
  override name = "IpcPathError";
}

/**
 * Listens on a unix socket that only the owner can access from the first moment, or on a Windows named pipe. Its folder
 * is created for the owner only, if missing; a dead socket is replaced.
 * @throws IpcPathError for a path that is too long, or of something else than a socket
 */
export async function listenForOwner(listener: Server, path: string): Promise<void> {
  checkLength(path);
  if (!isPipe(path)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    await removeStale(path);
  }
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject);
    withUmask(0o177, () => listener.listen(path, resolve));
  });
  if (!isPipe(path)) chmodSync(path, 0o600);
}

/** A socket gets its mode when it is bound, which `listen` does before it returns. Threads cannot set what counts for all. */
function withUmask(mask: number, task: () => void): void {
  if (!isMainThread) {
    task();
    return;
  }
  const before = process.umask(mask);
  try {
    task();
  } finally {
    process.umask(before);
  }
}

function checkLength(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (isPipe(path) || bytes <= MAX_PATH) return;
  const text = `${path} has ${bytes} bytes, the path of a socket at most ${MAX_PATH}`;
  throw new IpcPathError("IPC_PATH", text, { path });
}

function isPipe(path: string): boolean {
  return path.startsWith("\\\\");
}

/** Removes a socket that a crashed node left behind, and nothing else. */
async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket())
    throw new IpcPathError("IPC_PATH", `${path} is there already and no socket: it is left alone`, { path });
  if (await isForsaken(path)) unlinkSync(path);
}

/** Whether the system reports that nobody listens; a node too busy to respond counts as alive. */
function isForsaken(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(path);
    const end = (isForsaken: boolean): void => {
      probe.destroy();
      resolve(isForsaken);
    };
    probe.setTimeout(PROBE_MS, () => end(false));
    probe.once("connect", () => end(false));
    probe.once("error", (error: NodeJS.ErrnoException) => end(error.code === "ECONNREFUSED"));
  });
}
