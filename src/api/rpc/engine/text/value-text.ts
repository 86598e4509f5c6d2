import { escapeHtml, type Json, NumberLiteral, stringify } from "../../../../protocol/codec/json/value.ts";
import { exactOf, exactText } from "../../spec/values/exact-json.ts";
import { JsonText } from "../../spec/values/json-text.ts";
import { BoundedText } from "./bounded-text.ts";

/** Values written in one step. */
const STEP_VALUES = 64;

/** A list or an object of which the members before `at` have been written. */
interface OpenContainer {
  readonly members: readonly Json[] | { readonly [name: string]: Json };
  /** Absent for a list. */
  readonly names?: readonly string[];
  readonly length: number;
  at: number;
}

/**
 * Text of a value of any size and depth, for `runPaced`.
 * @param isExact - whether whole numbers that a double cannot hold are written with all their digits
 * @throws RpcError -32003 when it gets too long
 */
export function* valueText(value: Json, isExact = false): Generator<void, JsonText> {
  const text = new BoundedText();
  const open: OpenContainer[] = [];
  let next: Json | undefined = value;
  for (let count = 1; next !== undefined; count++) {
    const container = containerOf(next);
    if (container !== undefined) open.push(container);
    if (container === undefined) text.add(leafText(next, isExact));
    else text.add(container.names === undefined ? "[" : "{");
    next = nextOf(open, text);
    if (count % STEP_VALUES === 0) yield;
  }
  return new JsonText(text.finish());
}

function containerOf(value: Json): OpenContainer | undefined {
  if (Array.isArray(value)) return { members: value, length: value.length, at: 0 };
  if (typeof value !== "object" || value === null || value instanceof NumberLiteral) return undefined;
  const names = Object.keys(value);
  return { members: value, names, length: names.length, at: 0 };
}

function leafText(value: Json, isExact: boolean): string {
  return isExact ? escapeHtml(exactText(exactOf(value))) : stringify(value);
}

/** The next value, after what stands before it; undefined at the end. */
function nextOf(open: OpenContainer[], text: BoundedText): Json | undefined {
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const { names, at } = top;
    if (at < top.length) {
      const name = names?.[at];
      const comma = at === 0 ? "" : ",";
      text.add(name === undefined ? comma : `${comma}${stringify(name)}:`);
      top.at++;
      return (top.members as { readonly [name: string]: Json })[name ?? at] ?? null;
    }
    text.add(names === undefined ? "]" : "}");
    open.pop();
  }
  return undefined;
}
