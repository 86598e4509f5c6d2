import { type Json, stringify } from "../../../../protocol/codec/json/value.ts";
import { JsonText, type Text } from "../../spec/values/json-text.ts";
import { BoundedText } from "./bounded-text.ts";
import type { Draft } from "./draft.ts";

/** A step that adds nothing to the list. */
export const NOTHING = undefined;

/**
 * Text of a list that is rendered item by item, one step each, for `runPaced`.
 * @param items - rendered on demand; `NOTHING` is left out
 * @param draft - counts its bytes while it is built
 * @throws RpcError -32003 when it gets too long
 */
export function* listText(
  items: Iterable<Json | ListedItem | typeof NOTHING>,
  draft?: Draft,
): Generator<void, JsonText> {
  const text = new BoundedText(draft);
  yield* addList(text, items);
  return new JsonText(text.finish());
}

/**
 * Text of an object with such a list as a member.
 * @param draft - counts its bytes while it is built
 * @throws RpcError -32003 when it gets too long
 */
export function* objectText(listed: ListedObject, draft?: Draft): Generator<void, JsonText> {
  const text = new BoundedText(draft);
  yield* addObject(text, listed);
  return new JsonText(text.finish());
}

/** An object one of whose members is a list that is rendered item by item. */
export interface ListedObject {
  /** The rendered object, with any value in place of the list. */
  readonly object: { readonly [key: string]: Json };
  /** Name of the member. */
  readonly name: string;
  readonly items: Iterable<Json | typeof NOTHING>;
}

/** An item of a list that is such an object itself. */
export class ListedItem {
  readonly listed: ListedObject;

  constructor(listed: ListedObject) {
    this.listed = listed;
  }
}

/**
 * Text of an object whose members are such objects.
 * @param members - rendered on demand
 * @param draft - counts its bytes while it is built
 * @throws RpcError -32003 when it gets too long
 */
export function* objectsText(
  members: Iterable<readonly [key: string, member: ListedObject]>,
  draft?: Draft,
): Generator<void, JsonText> {
  const text = new BoundedText(draft);
  let before = "{";
  for (const [key, member] of members) {
    text.add(`${before}${stringify(key)}:`);
    yield* addObject(text, member);
    yield;
    before = ",";
  }
  text.add(before === "{" ? "{}" : "}");
  return new JsonText(text.finish());
}

/** Joins texts with commas, between `before` and `after`; long ones are not copied. */
export function joinedTexts(before: string, texts: Iterable<Text>, after: string): Text {
  const whole = new BoundedText(undefined, Number.POSITIVE_INFINITY);
  whole.add(before);
  let comma = "";
  for (const text of texts) {
    if (comma !== "") whole.add(comma);
    whole.add(text);
    comma = ",";
  }
  whole.add(after);
  return whole.finish();
}

function* addObject(text: BoundedText, { object, name, items }: ListedObject): Generator<void> {
  let before = "{";
  for (const [key, value] of Object.entries(object)) {
    text.add(`${before}${stringify(key)}:`);
    if (key === name) yield* addList(text, items);
    else text.add(stringify(value));
    before = ",";
  }
  text.add("}");
}

/** Adds a list to a text, one item a step. */
export function* addList(
  text: BoundedText,
  items: Iterable<Json | ListedItem | typeof NOTHING>,
): Generator<void> {
  let before = "[";
  for (const item of items) {
    if (item instanceof ListedItem) {
      text.add(before);
      yield* addObject(text, item.listed);
      before = ",";
    } else if (item !== NOTHING) {
      text.add(before + stringify(item));
      before = ",";
    }
    yield;
  }
  text.add(before === "[" ? "[]" : "]");
}

/** Order of members by their names, in which the reference writes its maps: nonces too, 10 before 9. */
export function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
