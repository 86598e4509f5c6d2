import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { devNodeOptions } from "./index.ts";

const SOURCES = join(import.meta.dirname, "../..");
const declared: { readonly member?: string; readonly default: unknown }[] = Object.values(devNodeOptions);

const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\/testing\/|\/tests\//.test(file))
  .map((file) => {
    const text = readFileSync(join(SOURCES, file), "utf8").replaceAll(/^ *(\*|\/\*\*|\/\/).*$/gm, "");
    return { file, text };
  });

/** A literal of the value, digits with or without underscores. */
function literalOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value).split("").join("_?");
  if (typeof value === "bigint") return `${String(value).split("").join("_?")}n`;
  if (typeof value === "string" && value !== "") return `"${value.replaceAll(/[^\w]/g, "\\$&")}"`;
  return undefined;
}

/** The files that give a member its default: by `maxLag = 16`, `maxLag ?? 16`, `maxLag: 16`, or in its declaration. */
function placesOf(member: string, literal: string): string[] {
  const name = member.split(".").at(-1);
  const value = new RegExp(`\\b${name} *(=|\\?\\?|:) *${literal}(?![\\w"])`);
  const declaration = new RegExp(`member: "${member.replaceAll(".", "\\.")}",[^}]*?default: ${literal},`);
  return files.filter(({ text }) => value.test(text) || declaration.test(text)).map(({ file }) => file);
}

it("has its default in one place: the component that reads it, or the declaration", () => {
  const checked = declared.flatMap(({ member, default: value }) => {
    const literal = literalOf(value);
    return member === undefined || literal === undefined
      ? []
      : [{ member, places: placesOf(member, literal) }];
  });
  expect(checked.length).toBeGreaterThan(50);
  expect(checked.flatMap(({ places }) => places).length).toBeGreaterThan(40);
  expect(checked.filter(({ places }) => places.length > 1)).toEqual([]);
});
