import { type Json, stringify } from "../../../protocol/codec/json/value.ts";

/** One member of a rendered object: its name and how it is derived from the source. */
export type Column<S> = readonly [name: string, render: (source: S) => Json | undefined];

/** Columns in alphabetical order, as the reference writes its objects. */
export function sorted<S>(columns: readonly Column<S>[]): readonly Column<S>[] {
  return [...columns].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** An object of these members, in the order of the columns; undefined ones are left out. */
export function renderColumns<S>(columns: readonly Column<S>[], source: S): { [key: string]: Json } {
  const out: { [key: string]: Json } = {};
  for (const [name, render] of columns) {
    const value = render(source);
    if (value !== undefined) out[name] = value;
  }
  return out;
}

/** The text of that object, which costs less than making the object and writing it: nothing in a name has to be escaped. */
export function columnsText<S>(columns: readonly Column<S>[], source: S): string {
  let text = "";
  for (const [name, render] of columns) {
    const value = render(source);
    if (value !== undefined) text += `${text === "" ? "{" : ","}"${name}":${stringify(value)}`;
  }
  return text === "" ? "{}" : `${text}}`;
}
