// The documentation as a static site: no server, nothing from other hosts.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { type Chapter, contents } from "./contents.ts";
import { pageOf, relativePath } from "./links.ts";
import { escaped, missingHeadings, type Rendered, render, renderText, type Section } from "./render.ts";

const here = import.meta.dirname;

/** All files of the site by path. @throws Error for broken links */
export function siteFiles(root: string): ReadonlyMap<string, string | Uint8Array> {
  const chapters = contents(root);
  const titles = new Map(
    chapters.flatMap(({ entries }) => entries.map(({ source, title }) => [source, title])),
  );
  const pages = new Map<string, Rendered>();
  const texts = new Set<string>();
  const images = new Set<string>();
  for (const source of titles.keys()) {
    const rendered = render(root, source, readFileSync(join(root, source), "utf8"));
    pages.set(source, rendered);
    for (const target of rendered.targets) {
      if (target.kind === "file") images.add(target.source);
      else if (target.kind === "page" && !titles.has(target.source)) texts.add(target.source);
    }
  }
  for (const fault of missingHeadings(pages)) throw new Error(fault);
  const files = new Map<string, string | Uint8Array>();
  for (const [source, { html }] of pages)
    files.set(pageOf(source), layout(source, titles.get(source) ?? "", html, chapters));
  for (const source of texts) {
    const html = renderText(source, readFileSync(join(root, source), "utf8"));
    files.set(pageOf(source), layout(source, source, html, chapters));
  }
  for (const source of images) files.set(source, readFileSync(join(root, source)));
  const sections = [...pages.values()].flatMap((page): readonly Section[] => page.sections);
  files.set("search-index.js", `globalThis.kairnSections=${JSON.stringify(sections)}`);
  files.set("site.js", clientScript());
  files.set("site.css", readFileSync(join(here, "site.css"), "utf8"));
  return files;
}

function clientScript(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(here, "client.ts")],
    ...{ bundle: true, minify: true, format: "iife", write: false, target: "es2022" },
  });
  return outputFiles[0]?.text ?? "";
}

function layout(source: string, title: string, html: string, chapters: readonly Chapter[]): string {
  const page = pageOf(source);
  const to = (path: string) => escaped(relativePath(page, path));
  const top = "../".repeat(page.split("/").length - 1);
  const item = (entry: { source: string; title: string }) => {
    const current = entry.source === source ? ' aria-current="page"' : "";
    return `<li><a href="${to(pageOf(entry.source))}"${current}>${escaped(entry.title)}</a></li>`;
  };
  const chapter = ({ title, entries }: Chapter) => {
    const open = entries.some((entry) => entry.source === source) ? " open" : "";
    return `<details${open}><summary>${escaped(title)}</summary><ul>${entries.map(item).join("")}</ul></details>`;
  };
  return `<!doctype html>
<html lang="en" data-root="${top}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)} · kairn</title>
<link rel="stylesheet" href="${to("site.css")}">
<script src="${to("site.js")}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a href="${to("index.html")}">kairn</a>
<div class="find"><input id="search" type="search" placeholder="Search ( / )" aria-label="Search" autocomplete="off">
<div id="results" hidden></div></div></header>
<div class="page">
<nav aria-label="Pages">${chapters.map(chapter).join("\n")}</nav>
<main id="content">
${html}</main>
</div>
</body>
</html>
`;
}
