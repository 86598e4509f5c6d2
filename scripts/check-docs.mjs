// Part of `npm run check`: every export of src/ has a docstring. A run of one-line constants without a blank line between them
// shares the docstring above the first; a type derived from a constant of the same name shares the constant's. No two types have
// the same name, so that a name means one thing in the whole project.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "@swc/core";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Minimum number of exports seen; so that the check fails if it sees nothing. */
const MIN_EXPORTS = 2_500;

const TYPES = new Set([
  "TsInterfaceDeclaration",
  "TsTypeAliasDeclaration",
  "TsEnumDeclaration",
  "ClassDeclaration",
]);

let seen = 0;
const faults = [];
/** Where each exported type is declared. */
const types = new Map();
for (const path of sources()) {
  const text = readFileSync(path, "utf8");
  for (const { name, at, isDocumented, isType } of exportsOf(text, path.endsWith("x"))) {
    seen++;
    const line = text.slice(0, at).split("\n").length;
    if (!isDocumented) faults.push(`${relative(root, path)}:${line}: ${name} has no docstring`);
    if (!isType) continue;
    const place = `${relative(root, path)}:${line}`;
    if (types.has(name))
      faults.push(`${place}: ${name} is already the name of the type in ${types.get(name)}`);
    types.set(name, place);
  }
}
for (const fault of faults) console.error(fault);
if (seen < MIN_EXPORTS) console.error(`only ${seen} exports seen`);
console.log(`${seen} exports, ${faults.length} without a docstring or a unique name`);
process.exit(faults.length > 0 || seen < MIN_EXPORTS ? 1 : 0);

function sources() {
  return readdirSync(join(root, "src"), { withFileTypes: true, recursive: true })
    .filter(({ name }) => /\.tsx?$/.test(name) && !/\.(test|test-d|bench|d)\.tsx?$/.test(name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.includes("/interpreter/wasm/") && !path.includes("/testing/")); // AssemblyScript, and test helpers
}

function* exportsOf(text, tsx) {
  // The parser's byte offsets continue across files; an empty statement in front gives the offset of this one.
  const { body } = parseSync(`;${text}`, { syntax: "typescript", tsx, target: "esnext" });
  const base = body[0].span.start + 1;
  const bytes = Buffer.from(text);
  const documented = new Set();
  let last = { end: 0, isDocumented: false };
  for (const { type, span, declaration } of body.slice(1)) {
    const before = bytes.toString("utf8", last.end, span.start - base);
    const own = bytes.toString("utf8", span.start - base, span.end - base);
    const name = nameOf(declaration);
    const isRun = /^\s*export const/.test(own) && !own.trim().includes("\n") && !/\n\s*\n/.test(before);
    const isDocumented =
      /\*\/\s*$/.test(before.replace(/(^\s*\/\/[^\n]*\n\s*)+$/m, "")) ||
      documented.has(name) ||
      (isRun && !before.includes("/**") && last.isDocumented);
    last = { end: span.end - base, isDocumented };
    if (isDocumented) documented.add(name);
    if (/^Export(Declaration|Default)/.test(type))
      yield {
        name,
        at: bytes.toString("utf8", 0, span.start - base).length,
        isDocumented,
        isType: TYPES.has(declaration?.type),
      };
  }
}

function nameOf(declaration) {
  const { identifier, id, declarations } = declaration ?? {};
  return (identifier ?? id ?? declarations?.[0].id)?.value ?? "the default export";
}
