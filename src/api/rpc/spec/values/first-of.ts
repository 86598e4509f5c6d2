import type { Json } from "../../../../protocol/codec/json/value.ts";

/** At most this many elements of a list, so that longer ones cost nothing more to decode. */
export function firstOf(json: Json, max: number): Json {
  return Array.isArray(json) && json.length > max ? json.slice(0, max) : json;
}
