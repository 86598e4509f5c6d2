import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Run-time imports, not type imports. */
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s(?!type\b)[^"';]*?["'](\.[^"']+\.ts)["']|(?:^|\n)import\s+["'](\.[^"']+\.ts)["']|\bimport\(\s*["'](\.[^"']+\.ts)["']/g;

/** The import graph of `src`, tests included. */
export class Imports {
  #of = new Map();
  #importers = new Map();

  constructor(root) {
    const names = readdirSync(root, { recursive: true }).filter((name) => name.endsWith(".ts"));
    for (const file of names.map((name) => join(root, name))) {
      const found = readFileSync(file, "utf8").matchAll(IMPORT);
      const imported = [...found].map(([, a, b, c]) => join(dirname(file), a ?? b ?? c));
      this.#of.set(file, imported);
      for (const other of imported) this.#importers.set(other, [...(this.#importers.get(other) ?? []), file]);
    }
  }

  /** All files that import this one, directly or not, with their distance; itself with 0. */
  dependents(file) {
    const steps = new Map([[file, 0]]);
    for (const [each, far] of steps)
      for (const importer of this.#importers.get(each) ?? [])
        if (!steps.has(importer)) steps.set(importer, far + 1);
    return steps;
  }
}

/**
 * The tests of a file's room (`src/FLOOR/ROOM`) that import it, in three groups: the test of the same name, those of the nearest
 * folder that has any, and the others. Most mutants are caught by the first group, which runs quickly.
 */
export function testsNear(file, dependents) {
  const tests = [...dependents.keys()].filter((name) => name.endsWith(".test.ts"));
  const room = dirname(file)
    .split("/")
    .slice(0, file.startsWith("src/cli/") ? 2 : 3)
    .join("/");
  const inRoom = tests.filter((test) => dirname(test).startsWith(room));
  let folder = dirname(file);
  while (folder.length > room.length && !inRoom.some((test) => dirname(test) === folder))
    folder = dirname(folder);
  const own = inRoom.filter((test) => test === file.replace(/\.ts$/, ".test.ts"));
  const nearest = inRoom.filter((test) => dirname(test) === folder && !own.includes(test));
  const others = inRoom.filter((test) => !own.includes(test) && !nearest.includes(test));
  return [own, nearest, others].filter(({ length }) => length > 0);
}
