// The pages of the documentation site and their order: every Markdown file of docs/, and those of the root.

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** A page of the navigation. */
export interface Entry {
  /** Path of the Markdown file from the root of the project. */
  readonly source: string;
  readonly title: string;
}

/** A group of pages. */
export interface Chapter {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** Pages listed first in their chapters; the others follow by name. */
const FIRST = [
  "README.md",
  "docs/guide/first-dapp.md",
  "docs/guide/dev-chain.md",
  "docs/reference/options.md",
];

/** All pages, by chapter. @param root - folder of the project */
export function contents(root: string): readonly Chapter[] {
  const chapter = (title: string, sources: readonly string[]): Chapter => ({
    title,
    entries: [...sources].sort(inOrder).map((source) => ({ source, title: titleOf(join(root, source)) })),
  });
  const folder = (path: string) =>
    readdirSync(join(root, path))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${path}/${name}`);
  return [
    chapter("kairn", ["README.md", "CHANGELOG.md"]),
    chapter("Guides", folder("docs/guide")),
    chapter("Recipes", [...folder("docs/recipes"), "examples/README.md"]),
    chapter("Reference", folder("docs/reference")),
    chapter("JSON-RPC", folder("docs/reference/rpc")),
    chapter("Background", [...folder("docs"), "CONTRIBUTING.md"]),
    chapter("Decisions", folder("docs/decisions")),
  ];
}

function inOrder(a: string, b: string): number {
  return rankOf(a) - rankOf(b) || (a < b ? -1 : 1);
}

function rankOf(source: string): number {
  if (basename(source) === "README.md") return -1;
  const rank = FIRST.indexOf(source);
  return rank < 0 ? FIRST.length : rank;
}

/** The first heading of a file, without markup. */
function titleOf(file: string): string {
  const line = readFileSync(file, "utf8")
    .split("\n")
    .find((text) => text.startsWith("# "));
  if (line === undefined) throw new Error(`${file} has no title`);
  return line.slice(2).replaceAll("`", "").replaceAll("*", "");
}
