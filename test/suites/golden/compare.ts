import type { Json, Rule } from "./format.ts";

const MISSING = Symbol("missing");

/** The value at a JSON pointer; undefined if it does not exist. */
export function at(value: Json | undefined, pointer: string): Json | undefined {
  const found = resolve(value, pointer);
  return found === MISSING ? undefined : found;
}

function resolve(value: Json | undefined, pointer: string): Json | typeof MISSING {
  let here: Json | undefined = value;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (here === null || typeof here !== "object") return MISSING;
    here = (here as { [key: string]: Json })[key];
    if (here === undefined) return MISSING;
  }
  return here ?? (here === null ? null : MISSING);
}

/** Where two values differ, one line each. Members may come in any order; at `volatile` pointers only the type is compared. */
export function differences(
  expected: Json,
  actual: Json,
  volatile: readonly string[],
  pointer = "",
): string[] {
  if (kind(expected) !== kind(actual)) return [line(pointer, expected, actual)];
  if (volatile.includes(pointer)) return [];
  if (Array.isArray(expected)) return arrayDifferences(expected, actual as Json[], volatile, pointer);
  if (expected !== null && typeof expected === "object")
    return objectDifferences(expected, actual as { [key: string]: Json }, volatile, pointer);
  return expected === actual ? [] : [line(pointer, expected, actual)];
}

function arrayDifferences(
  expected: Json[],
  actual: Json[],
  volatile: readonly string[],
  pointer: string,
): string[] {
  if (expected.length !== actual.length)
    return [line(pointer, `${expected.length} elements`, `${actual.length} elements`)];
  return expected.flatMap((value, i) => differences(value, actual[i] as Json, volatile, `${pointer}/${i}`));
}

function objectDifferences(
  expected: { [key: string]: Json },
  actual: { [key: string]: Json },
  volatile: readonly string[],
  pointer: string,
): string[] {
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  // Our errors carry a hint that the references do not have.
  if ("code" in expected && "message" in expected && !("data" in expected)) keys.delete("data");
  return [...keys].flatMap((key) => {
    const path = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const [a, b] = [expected[key], actual[key]];
    if (a === undefined || b === undefined) return [line(path, a, b)];
    return differences(a, b, volatile, path);
  });
}

function kind(value: Json): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function line(pointer: string, expected: Json | undefined, actual: Json | undefined): string {
  return `${pointer || "/"}: expected ${short(expected)}, got ${short(actual)}`;
}

function short(value: Json | undefined): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** The rules violated by a response. */
export function brokenRules(answer: Json, rules: readonly Rule[]): string[] {
  return rules
    .filter((rule) => !holds(rule, at(answer, rule.pointer)))
    .map(({ pointer, rule, value }) => `${pointer}: not ${rule} ${short(value)}`);
}

function holds({ rule, value }: Rule, found: Json | undefined): boolean {
  if (found === undefined) return false;
  switch (rule) {
    case "contains":
      return (found as string | Json[]).includes(value as never);
    case "regex":
      // Recorded patterns allow the blanks that Python writes after colons and commas.
      return new RegExp(value as string).test(typeof found === "string" ? found : JSON.stringify(found));
    case "ge":
      return Number(found) >= Number(value);
    case "hasKeys":
      return (value as string[]).every((key) => key in (found as object));
  }
}
