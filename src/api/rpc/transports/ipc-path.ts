import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { createConnection, type Server } from "node:net";
import { dirname } from "node:path";
import { createFolder } from "../../../platform/runtime/create-folder.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";

/** Maximum path of a unix socket, in bytes; Node silently truncates a longer one. */
const MAX_PATH = process.platform === "linux" ? 107 : 103;
/** A node that does not respond within this time counts as running. */
const PROBE_MS = 2000;

/** A path that cannot be used for a socket. */
export class IpcPathError extends NodeError<"IPC_PATH"> {
  override name = "IpcPathError";
}

/**
 * Listens on a unix socket that only the owner can ever access, or on a Windows named pipe. Its folder is created for the owner
 * only, if missing; a stale socket is replaced.
 * @throws IpcPathError for a path that is too long, or that exists and is not a socket
 */
export async function listenForOwner(listener: Server, path: string): Promise<void> {
  checkLength(path);
  if (!isPipe(path)) {
    createFolder(dirname(path));
    await removeStale(path);
  }
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject);
    withUmask(0o177, () => listener.listen(path, resolve));
  });
  if (!isPipe(path)) chmodSync(path, 0o600);
}

/** A socket gets its mode when it is bound, which `listen` does before it returns. Worker threads cannot set the process's umask. */
function withUmask(mask: number, task: () => void): void {
  const before = setUmask(mask);
  try {
    task();
  } finally {
    if (before !== undefined) process.umask(before);
  }
}

/** @returns the mask before; undefined in a worker thread, where nothing is set */
function setUmask(mask: number): number | undefined {
  try {
    return process.umask(mask);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_WORKER_UNSUPPORTED_OPERATION") return undefined;
    throw error;
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

/** Removes a stale socket of a crashed node, and nothing else. */
async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket())
    throw new IpcPathError("IPC_PATH", `${path} exists and is not a socket: it is left alone`, { path });
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
