import { object, wire } from "../../../../protocol/codec/json/object.ts";
import type { Field, Json, Schema, Shape } from "../../../../protocol/codec/json/schema.ts";

/** Rendered objects: quantities and bytes are hex, as on the wire. */
export type WireObject = { readonly [member: string]: Json };

/** A value as it stands on the wire: numbers and bytes are hex texts. */
export type OnWire<T> = T extends bigint | Uint8Array
  ? string
  : T extends readonly (infer E)[]
    ? readonly OnWire<E>[]
    : T extends object
      ? { readonly [K in keyof T]: OnWire<T[K]> }
      : T;

/** A rendered object whose members are known; forms and types differ in which of them they have. */
export type Rendered<S extends Shape> = WireObject & {
  readonly [K in keyof S]?: S[K] extends Field<infer T> ? OnWire<T> : never;
};

/**
 * A rendered object, which clients get as it stands on the wire.
 * @param members - `required` where every form of it has them
 */
export function rendered<S extends Shape>(
  title: string,
  description: string,
  members: S,
): Schema<Rendered<S>> {
  return wire(title, { ...object(title, members).json, description });
}
