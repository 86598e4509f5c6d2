import { InvalidParamsError, MismatchError } from "./errors.ts";
import type { Denoted, Field, Schema, Shape, ShapeType } from "./schema.ts";
import { isObject, type Json, type JsonSchema, kindOf } from "./value.ts";

/** Names of an object in error texts. */
export interface ObjectOptions {
  /** Full type name for a value that is not an object, `api.SendTxArgs`; default: the title. */
  readonly goType?: string;
  /** Struct name for a wrong member, `SendTxArgs`; default: `goType` after its last dot. */
  readonly struct?: string;
  /**
   * Whether the reference has a custom decoder for it. Then null members count as absent, and error texts about members
   * name the enclosing struct.
   */
  readonly ownDecoder?: boolean;
  /** How texts about a member name it, where not as it is written: fields of the reference that have no name in JSON. */
  readonly fieldNames?: Readonly<Record<string, string>>;
  readonly denotes?: Denoted;
}

/**
 * An object with named members. Member names match exactly, else without regard to case; unknown members are ignored;
 * members are decoded in the order in which they were written, the last duplicate wins; null is an empty object. A
 * member that is of the wrong kind as a whole is reported when all others are right.
 */
export function object<S extends Shape>(
  title: string,
  shape: S,
  options: ObjectOptions = {},
): Schema<ShapeType<S>> {
  const { goType = title, ownDecoder = false, fieldNames = {} } = options;
  const struct = options.struct ?? goType.slice(goType.lastIndexOf(".") + 1);
  const fields = Object.entries(shape);
  const names = new Map(
    fields.flatMap(([name]) => [
      [name.toLowerCase(), name],
      [name, name],
    ]),
  );
  const expects = `an object with the members ${Object.keys(shape).join(", ")}`;

  function decode(value: Json): ShapeType<S> {
    if (value !== null && !isObject(value))
      throw new MismatchError(kindOf(value), goType, { got: value, expects });
    const out: Record<string, unknown> = {};
    if (value !== null) decodeMembers(value, out);
    for (const [name, field] of fields) {
      if (field.optional || Object.hasOwn(out, name)) continue;
      if (!("absent" in field))
        throw new InvalidParamsError(`missing required field '${name}' for ${struct}`, { expects });
      out[name] = field.absent;
    }
    return out as ShapeType<S>;
  }

  function decodeMembers(value: { [key: string]: Json }, out: Record<string, unknown>): void {
    let late: MismatchError | undefined;
    for (const key in value) {
      const name = names.get(key) ?? names.get(key.toLowerCase());
      if (name === undefined) continue;
      const field = shape[name] as Field<unknown>;
      const raw = value[key] as Json;
      try {
        if (raw === null && (ownDecoder || (field.optional && !field.decodesNull))) delete out[name];
        else out[name] = field.schema.decode(raw);
      } catch (error) {
        if (!(error instanceof MismatchError)) throw error;
        const placed = error.within(ownDecoder ? "" : struct, fieldNames[name] ?? name);
        if (!error.late) throw placed;
        late ??= placed;
      }
    }
    if (late !== undefined) throw late;
  }

  return {
    title,
    json: objectJson(title, fields),
    expects,
    members: shape,
    ...(options.denotes && { denotes: options.denotes }),
    decode,
    encode(value) {
      const out: { [key: string]: Json } = {};
      for (const [name, field] of fields) {
        const member = (value as Record<string, unknown>)[name];
        if (member !== undefined) out[name] = field.schema.encode(member);
      }
      return out;
    },
  };
}

function objectJson(title: string, fields: readonly [string, Field<unknown>][]): JsonSchema {
  const properties = Object.fromEntries(
    fields.map(([name, f]) => [name, { ...f.schema.json, description: f.doc }]),
  );
  const needed = fields.filter(([, f]) => !f.optional && !("absent" in f)).map(([name]) => name);
  return { title, type: "object", properties, ...(needed.length > 0 ? { required: needed } : {}) };
}

/** An array of one type; null is the empty array. `goType` is the array's name in error texts. */
export function list<T>(element: Schema<T>, goType = `[]${element.title}`): Schema<readonly T[]> {
  const expects = `an array, each element ${element.expects}`;
  return {
    title: `${element.title}[]`,
    json: { type: "array", items: element.json },
    expects,
    decode(value) {
      if (value === null) return [];
      if (!Array.isArray(value)) throw new MismatchError(kindOf(value), goType, { got: value, expects });
      return value.map((item) => element.decode(item));
    },
    encode: (value) => value.map((item) => element.encode(item)),
  };
}

/** A result that may be null. */
export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  return {
    title: `${schema.title} or null`,
    json: { anyOf: [schema.json, { type: "null" }] },
    expects: `${schema.expects}, or null`,
    decode: (value) => (value === null ? null : schema.decode(value)),
    encode: (value) => (value === null ? null : schema.encode(value)),
  };
}

/** Always null: the result of a method without one. */
export const nothing: Schema<null> = {
  title: "null",
  json: { type: "null" },
  expects: "null",
  decode: () => null,
  encode: () => null,
};

/** A value whose JSON form is also its form in memory, such as a rendered block. `T` describes that form. */
export function wire<T>(title: string, json: JsonSchema, expects: string = title): Schema<T> {
  return {
    title,
    json: { title, ...json },
    expects,
    decode: (value) => value as T,
    encode: (value) => value as Json,
  };
}
