/** One case of a vector file; `run` throws when the code under test disagrees with it. */
export interface VectorCase {
  readonly name: string;
  run(): void | Promise<void>;
}

/** Turns the content of one vector file into its cases. */
// biome-ignore lint/suspicious/noExplicitAny: published JSON, described in the file itself
export type VectorCheck = (json: any) => Iterable<VectorCase>;

/** The cases of a file of the usual form `{cases: [{name, …}]}`. */
export function casesOf(
  // biome-ignore lint/suspicious/noExplicitAny: published JSON
  run: (vector: any) => void | Promise<void>,
): VectorCheck {
  return ({ cases }) =>
    cases.map((vector: { name: string }) => ({ name: vector.name, run: () => run(vector) }));
}

/** Throws, naming the first path at which two JSON-like values differ. Numbers, bigints and decimal texts compare by value. */
export function same(actual: unknown, expected: unknown, what: string): void {
  if (Array.isArray(expected) && Array.isArray(actual)) sameItems(actual, expected, what);
  else if (isObject(expected) && isObject(actual)) sameMembers(actual, expected, what);
  else if (plain(actual) !== plain(expected)) {
    throw new Error(`${what}: have ${show(actual)}, want ${show(expected)}`);
  }
}

/** Message of the error that a call throws; null when it returns. */
export function failureOf(call: () => unknown): string | null {
  try {
    call();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function sameItems(actual: readonly unknown[], expected: readonly unknown[], what: string): void {
  same(actual.length, expected.length, `${what}.length`);
  expected.forEach((item, i) => {
    same(actual[i], item, `${what}[${i}]`);
  });
}

function sameMembers(actual: Members, expected: Members, what: string): void {
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    same(actual[key], expected[key], `${what}.${key}`);
  }
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function plain(value: unknown): unknown {
  return typeof value === "bigint" || typeof value === "number" ? String(value) : value;
}

function show(value: unknown): string {
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}
