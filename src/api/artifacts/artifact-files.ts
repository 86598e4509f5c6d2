import { type Dirent, realpathSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { readBounded } from "../../platform/runtime/read-bounded.ts";

/** A file that may tell of contracts. */
export interface ArtifactFile {
  readonly path: string;
  readonly size: number;
  /** Another one whenever the file has been written. */
  readonly version: string;
}

/** What is looked through and read, of however many folders. */
const MOST_ENTRIES = 20_000;
const MOST_FILES = 4000;
const MOST_DEPTH = 12;
/** A build info holds all sources and contracts of a project. */
const MOST_FILE_BYTES = 64 << 20;
const MOST_BYTES = 256 << 20;
const MOST_SOURCE_BYTES = 4 << 20;
/** Folders of other things that lie beside artifacts. */
const PASSED_OVER: ReadonlySet<string> = new Set(["node_modules", "cache"]);

/** Files in JSON under folders, in the order of their paths. Links are not followed; folders that are not there have none. */
export async function findArtifacts(folders: readonly string[]): Promise<readonly ArtifactFile[]> {
  const files: ArtifactFile[] = [];
  const rest = { entries: MOST_ENTRIES, bytes: MOST_BYTES };
  for (const folder of folders) await collect(folder, MOST_DEPTH, files, rest);
  return files;
}

async function collect(
  folder: string,
  depth: number,
  files: ArtifactFile[],
  rest: { entries: number; bytes: number },
): Promise<void> {
  for (const entry of await entriesOf(folder)) {
    if (rest.entries-- <= 0 || files.length === MOST_FILES) return;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0 && !PASSED_OVER.has(entry.name) && !entry.name.startsWith("."))
      await collect(path, depth - 1, files, rest);
    if (!entry.isFile() || !entry.name.endsWith(".json") || entry.name.endsWith(".dbg.json")) continue;
    const file = await fileAt(path);
    if (file === undefined || file.size > MOST_FILE_BYTES || file.size > rest.bytes) continue;
    rest.bytes -= file.size;
    files.push(file);
  }
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return []; // not there, or not ours to read
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

/** The bytes of a file that was found; undefined where it has gone, or grown. */
export function readArtifactFile({ path }: ArtifactFile): Uint8Array | undefined {
  return readOrNothing(path, MOST_FILE_BYTES);
}

/** A source by its name in an artifact, from the first of several folders that has it; nothing outside them is read. */
export function readSource(roots: readonly string[], name: string): Uint8Array | undefined {
  if (extname(name) !== ".sol") return undefined;
  for (const root of roots) {
    const path = realPath(join(root, name));
    if (path === undefined || !path.startsWith(`${realPath(root) ?? root}${sep}`)) continue;
    const bytes = readOrNothing(path, MOST_SOURCE_BYTES);
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

function readOrNothing(path: string, most: number): Uint8Array | undefined {
  try {
    return readBounded(path, { maxBytes: most, regularOnly: true });
  } catch {
    return undefined;
  }
}
