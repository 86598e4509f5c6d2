import { join } from "node:path";
import type { NodeOptions } from "../../node-options.ts";

/** Path of the IPC socket that options ask for, if any. */
export function ipcPathOf({ ipc, dataDir }: Pick<NodeOptions, "ipc" | "dataDir">): string | undefined {
  if (typeof ipc === "string") return ipc;
  if (ipc !== true || dataDir === undefined) return undefined;
  return process.platform === "win32" ? "\\\\.\\pipe\\klay.ipc" : join(dataDir, "klay.ipc");
}
