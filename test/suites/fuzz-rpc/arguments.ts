import type { Random } from "./random.ts";

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON Schema, as far as used in the node's document. */
export type JsonSchema = { readonly [key: string]: Json };

/** A method of the node's OpenRPC document. */
export interface DeclaredMethod {
  readonly name: string;
  readonly params: readonly { readonly required: boolean; readonly schema: JsonSchema }[];
}

/** The node's OpenRPC document, as far as it is used. */
export interface OpenRpcDocument {
  readonly methods: readonly DeclaredMethod[];
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** The methods of a document, with resolved schema references. */
export function methodsOf({ methods, components }: OpenRpcDocument): readonly DeclaredMethod[] {
  const resolved = (value: unknown): unknown => JSON.parse(JSON.stringify(value), reviver);
  const reviver = (_key: string, value: unknown): unknown => {
    const reference = (value as { $ref?: unknown } | null)?.$ref;
    return typeof reference === "string" ? resolved(components.schemas[keyOf(reference)]) : value;
  };
  return resolved(methods) as DeclaredMethod[];
}

function keyOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

/** Existing and non-existing accounts and hashes. */
const ADDRESSES = [
  "0x0000000000000000000000000000000000000000",
  "0x0000000000000000000000000000000000000400",
  "0x9712f943b296758aaae79944ec975884188d3a96",
  "0xF77E71CF745E14129A344BCFB7E28240A5351BEB",
];

const ODD: readonly Json[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, 4294967296, 9007199254740991, "", " ", "0x", "0X1", "0x01"],
  ...["latest", "pending", "earliest", "safe", "newHeads", "0xzz", "0x1g", "\u0000", "\ud800", "é\u2028<>&"],
  ...[
    "0xffffffffffffffff",
    `0x${"f".repeat(64)}`,
    `0x1${"0".repeat(64)}`,
    "9".repeat(400),
    `-${"9".repeat(400)}`,
    `0x${"f".repeat(400)}`,
    `1e${"9".repeat(20)}`,
    "115792089237316195423570985008687907853",
  ],
  ...[[], {}, [[]], [null], { "": null }, { blockNumber: "latest", blockHash: null }],
  JSON.parse('{"__proto__":{"from":"0x0"},"constructor":1,"toString":[]}') as Json,
];

/** A value that mostly matches a schema. */
export function fittingValue(random: Random, schema: JsonSchema, depth = 0): Json {
  if (random.chance(0.08)) return oddValue(random, depth);
  const choices = (schema["oneOf"] ?? schema["anyOf"]) as readonly JsonSchema[] | undefined;
  if (choices !== undefined) return fittingValue(random, random.pick(choices), depth);
  if (schema["enum"] !== undefined) return random.pick(schema["enum"] as Json[]);
  switch (schema["type"]) {
    case "boolean":
      return random.chance(0.5);
    case "integer":
    case "number":
      return random.pick([0, 1, 2, 8, 32, 100, random.below(1000), random.below(2 ** 31)]);
    case "array":
      return Array.from({ length: random.below(4) }, () =>
        fittingValue(random, (schema["items"] ?? {}) as JsonSchema, depth + 1),
      );
    case "object":
      return objectOf(random, schema, depth);
    case "string":
      return textOf(random, schema);
    default:
      return oddValue(random, depth);
  }
}

function objectOf(random: Random, schema: JsonSchema, depth: number): Json {
  const members = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
  const found: { [key: string]: Json } = {};
  for (const [name, member] of members)
    if (random.chance(0.5)) found[name] = fittingValue(random, member, depth + 1);
  if (random.chance(0.1)) found[random.pick(["x", "From", "__proto__", ""])] = oddValue(random, depth);
  return found;
}

function textOf(random: Random, schema: JsonSchema): string {
  const pattern = String(schema["pattern"] ?? "");
  if (pattern.includes("{40}")) return random.chance(0.7) ? random.pick(ADDRESSES) : random.hex(20);
  if (pattern.includes("{64}")) return random.hex(32);
  if (pattern.includes("0x(0|")) return `0x${random.below(random.pick([2, 300, 2 ** 31])).toString(16)}`;
  if (pattern.includes("0x")) return random.hex(random.pick([0, 1, 4, 32, 65, 100]));
  return random.pick([
    "latest",
    "0x1",
    "0x10",
    "pending",
    "pw",
    "m/44'/60'/0'/0/0",
    random.hex(32),
    "callTracer",
  ]);
}

/** A value that hardly ever matches. */
export function oddValue(random: Random, depth: number): Json {
  if (depth > 2 || random.chance(0.6)) return random.pick(ODD);
  if (random.chance(0.1)) return nested(random.pick([10, 200, 1500]));
  if (random.chance(0.3)) return random.hex(random.below(40));
  return random.chance(0.5)
    ? Array.from({ length: random.below(5) }, () => oddValue(random, depth + 1))
    : { [random.pick(["from", "to", "blockHash", "tracer", "type"])]: oddValue(random, depth + 1) };
}

function nested(depth: number): Json {
  let value: Json = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Arguments for a method: some missing, some too many. */
export function argumentsOf(random: Random, method: DeclaredMethod): Json {
  if (random.chance(0.03)) return oddValue(random, 0);
  const values = method.params.map(({ schema }) => fittingValue(random, schema));
  if (random.chance(0.1)) values.splice(random.below(values.length + 1));
  if (random.chance(0.05)) values.push(oddValue(random, 0));
  return values;
}
