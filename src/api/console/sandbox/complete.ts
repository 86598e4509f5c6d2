/** Global names of JavaScript. */
const LANGUAGE = [
  "Array",
  "BigInt",
  "Date",
  "JSON",
  "Map",
  "Math",
  "Number",
  "Object",
  "Promise",
  "Set",
  "String",
  "await",
  "console",
  "const",
  "exit",
  "false",
  "for",
  "function",
  "let",
  "new",
  "null",
  "quit",
  "return",
  "throw",
  "true",
  "typeof",
  "undefined",
  "var",
  "while",
];

/** The complete names that could end a line, and the word that they replace. */
export interface Completions {
  readonly names: readonly string[];
  readonly word: string;
}

/**
 * Completes the last word of a line: `txpool.st` to `txpool.status`. Never runs a getter, which would call the node.
 * @param globals - names beyond those of the language
 */
export function complete(line: string, globals: Readonly<Record<string, unknown>>): Completions {
  const word = /[\w$.]*$/.exec(line)?.[0] ?? "";
  const steps = word.split(".");
  const start = steps.pop() as string;
  if (steps.length === 0) {
    const names = [...new Set([...Object.keys(globals), ...LANGUAGE])];
    return { names: names.filter((name) => name.startsWith(start)).sort(), word };
  }
  const names = memberNames(objectAt(globals, steps)).filter((name) => name.startsWith(start));
  return { names: names.sort().map((name) => [...steps, name].join(".")), word };
}

function objectAt(globals: unknown, steps: readonly string[]): unknown {
  let value: unknown = globals;
  for (const step of steps) {
    if (value === null || value === undefined) return undefined;
    const descriptor = descriptorOf(Object(value) as object, step);
    if (descriptor === undefined || descriptor.get !== undefined) return undefined;
    value = descriptor.value;
  }
  return value;
}

function descriptorOf(value: object, name: string): PropertyDescriptor | undefined {
  for (let at: object | null = value; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    const descriptor = Object.getOwnPropertyDescriptor(at, name);
    if (descriptor !== undefined) return descriptor;
  }
  return undefined;
}

function memberNames(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  const names = new Set<string>();
  for (
    let at = Object(value) as object | null;
    at !== null;
    at = Object.getPrototypeOf(at) as object | null
  ) {
    if (at === Object.prototype || at === Function.prototype) break;
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  }
  return [...names].filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== "constructor");
}
