import type { Schema } from "../../../protocol/codec/json/schema.ts";
import { isObject, type Json } from "../../../protocol/codec/json/value.ts";

type JsonObject = { [key: string]: Json };

/** The schemas of an OpenRPC document: each type and each nested object appears once, under its title. */
export class SchemaComponents {
  readonly #byKey = new Map<string, JsonObject>();

  /** A reference to a schema; the schema itself where another one has its title. */
  reference({ title, json }: Schema<unknown>): JsonObject {
    return this.#named(title, json);
  }

  /** The schemas that were referred to, by key. */
  schemas(): JsonObject {
    return Object.fromEntries([...this.#byKey].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #named(title: string, { title: _, description, ...rest }: JsonObject): JsonObject {
    const body = this.#members(rest);
    const own = description === undefined ? {} : { description };
    const key = keyOf(title);
    const known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, { title, ...body });
    else if (JSON.stringify(known) !== JSON.stringify({ title, ...body })) return { title, ...own, ...body };
    return { $ref: `#/components/schemas/${key}`, ...own };
  }

  /** A schema inside another one: objects with a title get a place of their own. */
  #nested(json: Json): Json {
    if (Array.isArray(json)) return json.map((one) => this.#nested(one));
    if (!isObject(json)) return json;
    const { title } = json;
    return typeof title === "string" && "properties" in json ? this.#named(title, json) : this.#members(json);
  }

  #members(json: JsonObject): JsonObject {
    const entries = Object.entries(json).map(([keyword, value]) => {
      const isMap = keyword === "properties" && isObject(value);
      return [keyword, isMap ? this.#members(value) : this.#nested(value)];
    });
    return Object.fromEntries(entries);
  }
}

/** `Block or null` becomes `Block_or_null`; an array's `[]` becomes `List`. */
function keyOf(title: string): string {
  return title.replaceAll("[]", "List").replace(/[^A-Za-z0-9._-]+/g, "_");
}
