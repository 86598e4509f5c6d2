import { type Dirent, realpathSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { readBounded } from "../../platform/runtime/read-bounded.ts";

/** A file that may describe contracts. */
export interface ArtifactFile {
  readonly path: string;
  readonly size: number;
  /** Changes whenever the file is written. */
  readonly version: string;
}

/** Limits for all folders together. */
const MAX_ENTRIES = 20_000;
const MAX_FILES = 4000;
const MAX_DEPTH = 12;
/** A build info holds all sources and contracts of a project. */
const MAX_FILE_BYTES = 64 << 20;
const MAX_BYTES = 256 << 20;
const MAX_SOURCE_BYTES = 4 << 20;
/** Folders beside artifacts that hold other things. */
const IGNORED: ReadonlySet<string> = new Set(["node_modules", "cache"]);

/** JSON files under folders, sorted by path. Links are not followed; missing folders are empty. */
export async function findArtifacts(folders: readonly string[]): Promise<readonly ArtifactFile[]> {
  const files: ArtifactFile[] = [];
  const rest = { entries: MAX_ENTRIES, bytes: MAX_BYTES };
  for (const folder of folders) await collect(folder, MAX_DEPTH, files, rest);
  return files;
}

async function collect(
  folder: string,
  depth: number,
  files: ArtifactFile[],
  rest: { entries: number; bytes: number },
): Promise<void> {
  for (const entry of await entriesOf(folder)) {
    if (rest.entries-- <= 0 || files.length === MAX_FILES) return;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0 && !IGNORED.has(entry.name) && !entry.name.startsWith("."))
      await collect(path, depth - 1, files, rest);
    if (!entry.isFile() || !entry.name.endsWith(".json") || entry.name.endsWith(".dbg.json")) continue;
    const file = await fileAt(path);
    if (file === undefined || file.size > MAX_FILE_BYTES || file.size > rest.bytes) continue;
    rest.bytes -= file.size;
    files.push(file);
  }
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return []; // missing, or not readable
  }
}

async function fileAt(path: string): Promise<ArtifactFile | undefined> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    return { path, size, version: `${mtimeMs} ${size} ${ino}` };
  } catch {
    return undefined; // removed since
  }
}

/** The bytes of a file; undefined if it was removed, or has grown. */
export function readArtifactFile({ path }: ArtifactFile): Uint8Array | undefined {
  return readOrNothing(path, MAX_FILE_BYTES);
}

/** A source by its name in an artifact, from the first folder that has it; nothing outside the folders is read. */
export function readSource(roots: readonly string[], name: string): Uint8Array | undefined {
  if (extname(name) !== ".sol") return undefined;
  for (const root of roots) {
    const path = realPath(join(root, name));
    if (path === undefined || !path.startsWith(`${realPath(root) ?? root}${sep}`)) continue;
    const bytes = readOrNothing(path, MAX_SOURCE_BYTES);
    if (bytes !== undefined) return bytes;
  }
  return undefined;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function readOrNothing(path: string, max: number): Uint8Array | undefined {
  try {
    return readBounded(path, { maxBytes: max, regularOnly: true });
  } catch {
    return undefined;
  }
}
