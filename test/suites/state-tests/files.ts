import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Fixture } from "./fixture.ts";

/** Files per directory in a sample, and their maximum size. */
const SAMPLE = { perDirectory: 6, bytes: 40_000 } as const;

/** Paths of all files of tests under a folder, in order. */
export function fixtureFiles(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return paths.filter((path) => path.endsWith(".json")).sort();
}

/** A few short files of every directory, always the same ones. */
export function sampleOf(folder: string, paths: readonly string[]): string[] {
  const counts: Map<string, number> = new Map();
  return paths.filter((path) => {
    const count = counts.get(dirname(path)) ?? 0;
    if (count === SAMPLE.perDirectory || statSync(join(folder, path)).size > SAMPLE.bytes) return false;
    counts.set(dirname(path), count + 1);
    return true;
  });
}

/** The tests of a file by name. */
export function readFixtures(file: string): [name: string, fixture: Fixture][] {
  return Object.entries(JSON.parse(readFileSync(file, "utf8")) as Record<string, Fixture>);
}
