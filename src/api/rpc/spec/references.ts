import type { Denoted, Schema, Shape } from "../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";

/** A place in the arguments of a method whose values denote something. */
export interface Reference {
  /** Index of the parameter. */
  readonly index: number;
  readonly name: string;
  /** Name of the member, if the parameter is an object with members that denote something. */
  readonly member?: string;
  readonly optional: boolean;
}

/** What blocks and hashes a method refers to, and which calls and signed transactions it takes. */
export function referencesOf(params: Shape, ...denoted: readonly Denoted[]): readonly Reference[] {
  const isWanted = ({ denotes }: Schema<unknown>): boolean =>
    denotes !== undefined && denoted.includes(denotes);
  return Object.entries(params).flatMap(([name, { schema, optional }], index): Reference[] => {
    if (isWanted(schema)) return [{ index, name, optional }];
    return Object.entries(schema.members ?? {})
      .filter(([, field]) => isWanted(field.schema))
      .map(([member]) => ({ index, name, member, optional: true }));
  });
}

/** The decoded value at a place; undefined if it was left out. */
export function valueAt(args: Readonly<Record<string, unknown>>, { name, member }: Reference): unknown {
  const argument = args[name];
  return member === undefined ? argument : (argument as Record<string, unknown> | undefined)?.[member];
}

/** Positional arguments with another value at a place; parameters left out before it become null. */
export function withValueAt(values: readonly Json[], { index, member }: Reference, value: Json): Json[] {
  const written =
    member === undefined ? value : { ...(values[index] as object | undefined), [member]: value };
  const before = Array.from({ length: index }, (_, i) => values[i] ?? null);
  return [...before, written, ...values.slice(index + 1)];
}
