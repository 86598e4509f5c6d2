import { readFileSync } from "node:fs";

/** Cases of a file of published vectors. */
export function readCases<T>(file: string): readonly T[] {
  const url = new URL(`../../../../test/fixtures/vectors/${file}`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8")).cases;
}
