import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Skipped } from "../row.ts";

/**
 * Compiles a library of this folder to put in front of a program's C library.
 * @param name - of the source, without `.c`
 * @param into - folder for the library
 * @returns its path @throws Skipped where there is no C compiler
 */
export function preloaded(name: string, into: string): string {
  const source = fileURLToPath(new URL(`./${name}.c`, import.meta.url));
  const library = join(into, `${name}.so`);
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], { stdio: "pipe" });
  } catch (error) {
    throw new Skipped(`no C compiler makes ${name}.so: ${(error as Error).message.slice(0, 100)}`);
  }
  return library;
}
