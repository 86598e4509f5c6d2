import { basename, dirname } from "node:path";
import { parseJsonPaced } from "../../platform/intake/parse-json-paced.ts";
import { type Pace, runPaced } from "../../platform/runtime/turns/pace.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { type ArtifactFile, findArtifacts, readArtifactFile, readSource } from "./artifact-files.ts";
import { Contracts } from "./contracts.ts";
import { type ItemsLeft, type ReadArtifact, readArtifact } from "./read-contracts.ts";

/** Maximum JSON values in one file; a syntax tree has many. */
const MAX_VALUES = 5_000_000;
/** Maximum functions, events and errors of all files. */
const MAX_ITEMS = 300_000;
/** Minimum time between two scans of the folders. */
const PAUSE_MS = 500;

interface Loaded {
  readonly version: string;
  readonly artifact: ReadArtifact | undefined;
  /** Counted towards `MAX_ITEMS`. */
  readonly items: number;
}

/** Where artifacts are, and how they are read. */
export interface LibraryOptions {
  readonly folders: readonly string[];
  readonly pace: Pace;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Called with a file that is rejected. */
  readonly onRefused?: (path: string, error: NodeError) => void;
}

/** The output of compilers and their tools in folders, read again when it changes. */
export class ArtifactLibrary {
  readonly #options: LibraryOptions;
  readonly #files = new Map<string, Loaded>();
  #contracts = new Contracts([], () => undefined);
  #looked: number | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: LibraryOptions) {
    this.#options = options;
  }

  /** As of the last scan. */
  get contracts(): Contracts {
    return this.#contracts;
  }

  /** Scans for changes, unless that was done just now. */
  refresh(): Promise<void> {
    const { now } = this.#options;
    if (this.#looked !== undefined && now() - this.#looked < PAUSE_MS) return Promise.resolve();
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#looked = now();
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { folders } = this.#options;
    const files = await findArtifacts(folders);
    const isSame = files.length === this.#files.size && files.every((file) => this.#isLoaded(file));
    if (isSame) return;
    const paths = new Set(files.map(({ path }) => path));
    for (const path of this.#files.keys()) if (!paths.has(path)) this.#files.delete(path);
    for (const file of files) if (!this.#isLoaded(file)) this.#files.delete(file.path);
    let items = MAX_ITEMS;
    for (const loaded of this.#files.values()) items -= loaded.items;
    for (const file of files) {
      if (this.#isLoaded(file)) continue;
      const left = { items };
      const artifact = await this.#load(file, left);
      this.#files.set(file.path, { version: file.version, artifact, items: items - left.items });
      items = left.items;
    }
    const artifacts = files.flatMap(({ path }) => this.#files.get(path)?.artifact ?? []);
    const roots = folders.flatMap((folder) => [dirname(folder), folder]);
    this.#contracts = new Contracts(artifacts, (name) => readSource(roots, name));
  }

  #isLoaded({ path, version }: ArtifactFile): boolean {
    return this.#files.get(path)?.version === version;
  }

  async #load(file: ArtifactFile, left: ItemsLeft): Promise<ReadArtifact | undefined> {
    const bytes = readArtifactFile(file);
    if (bytes === undefined) return undefined;
    const { pace, onRefused } = this.#options;
    try {
      const json = await parseJsonPaced(bytes, MAX_VALUES, pace);
      const artifact = await runPaced(pace, readArtifact(json, basename(file.path, ".json"), left));
      if (pace.isDue()) await pace.yield();
      return artifact;
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      onRefused?.(file.path, error);
      return undefined;
    }
  }
}
