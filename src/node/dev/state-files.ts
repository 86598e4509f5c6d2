import { dirname } from "node:path";
import type { DevControls } from "../../api/rpc/handlers/dev/dev-controls.ts";
import type { Runtime } from "../../platform/runtime/runtime.ts";
import { DevError } from "./errors.ts";

/**
 * Takes over the state in a file.
 * @throws DevError `STATE_FILE` when it cannot be read, `STATE_FORMAT` when it holds no state
 */
export async function loadStateFile(
  { chain }: DevControls,
  path: string,
  { files }: Pick<Runtime, "files">,
): Promise<void> {
  if (!files.exists(path)) throw new DevError("STATE_FILE", `there is no state file ${path}`, { path });
  await chain.load(files.read(path));
}

/** Writes the newest state to a file: whoever reads it finds the old state or the new one, whole. */
export async function dumpStateFile(
  { chain }: DevControls,
  path: string,
  { files }: Pick<Runtime, "files">,
): Promise<void> {
  files.createDirectory(dirname(path));
  await files.replace(path, await chain.dump());
}
