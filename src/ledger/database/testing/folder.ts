import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import type { Database } from "../database.ts";
import { openDatabase } from "../open-database.ts";

const { files, timers } = systemRuntime;

/** An empty folder, removed after the test. */
export function newFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), "kairn-database-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** Opens the LMDB database of a folder. */
export function openFolder(directory: string): Promise<Database> {
  return openDatabase({ engine: "lmdb", directory, files, timers });
}
