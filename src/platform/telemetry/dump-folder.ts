import { lstatSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, normalize, relative } from "node:path";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { createFolder } from "../runtime/create-folder.ts";

/** A file that a caller may not write, or that does not exist. */
export class DumpError extends NodeError<"DUMP_NAME" | "DUMP_EXISTS" | "DUMP_MISSING" | "DUMP_FOLDER"> {
  override name = "DumpError";
}

/**
 * Creates a file that only its owner can read and that replaces nothing: neither a link nor a file may exist at its
 * path.
 */
export const NEW_FILE = { flag: "wx", mode: 0o600 } as const;

/** Letters, digits, dots and dashes; must not start with a dot. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** The one folder for files that callers name: profiles, traces, exported blocks. */
export class DumpFolder {
  readonly #folder: string | undefined;
  #made: string | undefined;

  /** @param folder - absolute path, created on demand; absent = a new temporary folder */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /**
   * Path for a new file.
   * @param name - a bare name, or the path of that name in this folder
   * @param own - path of the caller's own earlier file, which may be replaced
   * @throws DumpError `DUMP_NAME` for any other path, `DUMP_EXISTS`, `DUMP_FOLDER`
   */
  place(name: string, own?: string): string {
    const path = this.#path(name);
    if (name === "") throw new DumpError("DUMP_NAME", "open : no such file or directory");
    if (path === undefined)
      throw new DumpError(
        "DUMP_NAME",
        "the file needs a bare name of up to 128 letters, digits, dots and dashes",
      );
    if (path === own && isFile(path)) rmSync(path);
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
      throw new DumpError("DUMP_EXISTS", "location would overwrite an existing file");
    return path;
  }

  /**
   * Path of a file to be read: in this folder or, by absolute path and not through links, in a folder below it.
   * @param mayLeave - whether any other path is allowed too
   * @throws DumpError `DUMP_MISSING` when there is no regular file
   */
  find(name: string, mayLeave: boolean): string {
    const path = this.#path(name);
    if (path !== undefined && isFile(path)) return path;
    if ((mayLeave || this.#isBelow(name)) && isFile(name)) return name;
    throw new DumpError("DUMP_MISSING", `open ${name}: no such file or directory`);
  }

  /** Folder for files that the node names itself. */
  get path(): string {
    this.#made ??= this.#make();
    return this.#made;
  }

  #path(name: string): string | undefined {
    const isInside = isAbsolute(name) && dirname(name) === this.path;
    const bare = isInside ? basename(name) : name;
    return NAME.test(bare) ? join(this.path, bare) : undefined;
  }

  /** Whether an absolute path is below this folder, and contains no link. */
  #isBelow(name: string): boolean {
    if (!isAbsolute(name) || normalize(name) !== name || !name.startsWith(`${this.path}/`)) return false;
    try {
      return realpathSync(name) === join(realpathSync(this.path), relative(this.path, name));
    } catch {
      return false;
    }
  }

  #make(): string {
    if (this.#folder === undefined) return mkdtempSync(join(tmpdir(), "kairn-dumps-"));
    createFolder(this.#folder);
    if (!lstatSync(this.#folder).isDirectory())
      throw new DumpError("DUMP_FOLDER", "the place for dumps is not a folder");
    return this.#folder;
  }
}

/** Writes a file that must not exist yet. @throws the file system's error */
export function writeNew(path: string, text: string): Promise<void> {
  return wholeOrNone(path, writeFile(path, text, NEW_FILE));
}

/**
 * Removes a new file that could not be written to its end, as on a full disk, so that its name is free for another attempt.
 * @param writing - creates the file with `NEW_FILE`
 * @throws the error of `writing`
 */
export async function wholeOrNone(path: string, writing: Promise<void>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    // Then it was there before.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") await rm(path, { force: true }).catch(() => {});
    throw error;
  }
}

function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false; // also for names that the system rejects
  }
}
