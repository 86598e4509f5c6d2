// Part of `npm run check`: every link of a Markdown file leads to an existing file and heading, and so does every heading that
// code names, in a message, a test or a comment.

import { readdirSync, readFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { missingHeadings, type Rendered, render } from "./site/render.ts";

const root = resolve(import.meta.dirname, "../..");
/** Folders with files that name headings. */
const FOLDERS = ["assets", "bench", "bin", "docs", "examples", "ops", "scripts", "src", "test", ".ci"];
/** Folders without files of this project: dependencies, and output of examples. */
const GENERATED = /\/(?:node_modules|dist)$|^examples\/.*\/(?:out|artifacts|cache)$/;
/** A heading named in code, with a folder in front. */
const NAMED = /(?<![\w./-])([\w.-]+\/[\w./-]+\.md)#([\w-]+)/g;
/** Links in HTML within Markdown, which the renderer leaves unchanged. */
const HTML_LINK = /<(?:a|img|source)\b[^>]*?\s(?:href|src|srcset)="([^"]+)"/g;
/** Minimum number of links seen; so that the check fails if it sees nothing. */
const MIN_LINKS = 500;

const files = filesOf(root);
const pages = new Map<string, Rendered>();
const faults: string[] = [];
for (const source of files.filter((path) => path.endsWith(".md"))) {
  const markdown = readFileSync(join(root, source), "utf8");
  try {
    pages.set(source, render(root, source, markdown + linksInHtml(markdown)));
  } catch (cause) {
    faults.push((cause as Error).message);
  }
}
faults.push(...missingHeadings(pages));
let links = [...pages.values()].reduce((sum, { targets }) => sum + targets.length, 0);
for (const source of files.filter((path) => /\.(?:[mc]?[jt]s|tsx|ya?ml|service)$/.test(path))) {
  for (const [, path = "", anchor = ""] of readFileSync(join(root, source), "utf8").matchAll(NAMED)) {
    links++;
    const page = [path, posix.join(posix.dirname(source), path)].find((name) => pages.has(name));
    if (page === undefined) faults.push(`${source}: ${path} does not exist`);
    else if (!pages.get(page)?.anchors.has(anchor))
      faults.push(`${source}: ${page} has no heading #${anchor}`);
  }
}
for (const fault of faults) console.error(fault);
if (links < MIN_LINKS) console.error(`only ${links} links seen`);
console.log(`${pages.size} Markdown files, ${links} links, ${faults.length} broken`);
process.exit(faults.length > 0 || links < MIN_LINKS ? 1 : 0);

/** Links written in HTML, as Markdown. */
function linksInHtml(markdown: string): string {
  const text = markdown.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
  return [...text.matchAll(HTML_LINK)].map(([, href]) => `\n\n[.](${href})`).join("");
}

/** Paths of our own files, from the root of the project. */
function filesOf(folder: string): string[] {
  const pagesOnTop = readdirSync(folder).filter((name) => name.endsWith(".md"));
  return [...pagesOnTop, ...FOLDERS.flatMap((name) => filesBelow(folder, name))];
}

/** Without links, as an example's dependency on this project is one. */
function filesBelow(root: string, path: string): string[] {
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    const name = posix.join(path, entry.name);
    if (entry.isDirectory()) return GENERATED.test(name) ? [] : filesBelow(root, name);
    return entry.isFile() ? [name] : [];
  });
}
