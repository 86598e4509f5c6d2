import type { Schema } from "../../protocol/codec/json/schema.ts";
import type { Json } from "../../protocol/codec/json/value.ts";

type JsonObject = { [key: string]: Json };

/** The schemas of an OpenRPC document: each is written down once, under its title, and referred to. */
export class SchemaComponents {
  readonly #byKey = new Map<string, Schema<unknown>>();

  /** A reference to a schema; the schema itself where another one has its title. */
  reference(schema: Schema<unknown>): JsonObject {
    const key = keyOf(schema.title);
    const known = this.#byKey.get(key);
    if (known !== undefined && !isSame(known, schema)) return { ...schema.json };
    this.#byKey.set(key, schema);
    return { $ref: `#/components/schemas/${key}` };
  }

  /** The schemas that were referred to, by key. */
  schemas(): JsonObject {
    const sorted = [...this.#byKey].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted.map(([key, { title, json }]) => [key, { title, ...json }]));
  }
}

function isSame(a: Schema<unknown>, b: Schema<unknown>): boolean {
  return a === b || JSON.stringify(a.json) === JSON.stringify(b.json);
}

/** `Block or null` becomes `Block_or_null`; an array's `[]` becomes `List`. */
function keyOf(title: string): string {
  return title.replaceAll("[]", "List").replace(/[^A-Za-z0-9._-]+/g, "_");
}
