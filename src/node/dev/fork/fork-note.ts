import { join } from "node:path";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { ForkOptions, RemoteChain } from "./open-fork.ts";

/** File in a data folder with the number of the block that its chain was forked from. */
const NOTE = "fork-block";

/** The options of a fork; if no block is named, that of the fork in the data folder is used. */
export function withNotedBlock(
  fork: ForkOptions,
  dataDir: string | undefined,
  { files }: Pick<Runtime, "files">,
): ForkOptions {
  const path = dataDir && join(dataDir, NOTE);
  if (path === undefined || path === "" || fork.block !== undefined || !files.exists(path)) return fork;
  return { ...fork, block: BigInt(new TextDecoder().decode(files.read(path)).trim()) };
}

/** Records which block the chain of a data folder was forked from. */
export async function noteBlock(
  { point }: RemoteChain,
  dataDir: string | undefined,
  { files }: Pick<Runtime, "files">,
): Promise<void> {
  if (dataDir === undefined) return;
  files.createDirectory(dataDir);
  await files.replace(join(dataDir, NOTE), new TextEncoder().encode(`${point.number}\n`));
}
