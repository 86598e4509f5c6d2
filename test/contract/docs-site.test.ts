import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { beforeAll, describe, expect, it } from "vitest";
import { rank } from "../../scripts/docs/site/rank.ts";
import { missingHeadings, render, type Section } from "../../scripts/docs/site/render.ts";
import { siteFiles } from "../../scripts/docs/site/site.ts";

// The documentation as a site: every page exists and is reachable, and nothing is loaded from other hosts.

const root = fileURLToPath(new URL("../..", import.meta.url));
let files: ReadonlyMap<string, string | Uint8Array>;
let sections: readonly Section[];
const pages = () => [...files].filter(([path]) => path.endsWith(".html")) as [string, string][];

beforeAll(() => {
  files = siteFiles(root);
  const context: { kairnSections?: readonly Section[] } = {};
  runInNewContext(String(files.get("search-index.js")), context);
  sections = context.kairnSections ?? [];
});

describe("the documentation site", () => {
  it("has a page for each guide, the reference and the entry pages", () => {
    for (const path of [
      "index.html",
      "docs/guide/first-dapp.html",
      "docs/reference/rpc/eth.html",
      "docs/recipes/viem.html",
    ])
      expect([...files.keys()]).toContain(path);
    expect(files.get("docs/guide/dev-chain.html")).toContain('<h1 id="the-development-chain">');
    expect(files.get("examples/viem.js.html")).toContain("import assert from &#34;node:assert/strict&#34;");
  });

  it("links every page from the first one, directly or not", () => {
    const seen = new Set<string>();
    const follow = (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      for (const [, href = ""] of String(files.get(path)).matchAll(/<a[^>]* href="([^"#]+)/g))
        if (!/^(https?|mailto):/.test(href)) follow(posix.normalize(posix.join(posix.dirname(path), href)));
    };
    follow("index.html");
    expect([...seen].filter((path) => !files.has(path))).toEqual([]);
    expect(pages().filter(([path]) => !seen.has(path))).toEqual([]);
  });

  it("loads nothing from another host, and has no link to a missing heading", () => {
    for (const [path, html] of pages()) {
      const loaded = [...html.matchAll(/<(?:script|img|link|iframe)[^>]* (?:src|href)="([^"]*)"/g)];
      expect(loaded.length).toBeGreaterThan(1);
      for (const [, href = ""] of loaded) {
        expect(href).not.toMatch(/^(https?:)?\/\//);
        expect([...files.keys()]).toContain(posix.normalize(posix.join(posix.dirname(path), href)));
      }
      for (const [, href = "", anchor = ""] of html.matchAll(/<a[^>]* href="([^":#]*)#([^"]+)"/g)) {
        const to = href === "" ? path : posix.normalize(posix.join(posix.dirname(path), href));
        expect(String(files.get(to)), `${path}: ${href}#${anchor}`).toContain(`id="${anchor}"`);
      }
    }
    expect(String(files.get("site.css"))).not.toMatch(/url\(|@import/);
    expect(String(files.get("site.js"))).not.toMatch(/https?:/);
  });

  it("finds the expected pages", () => {
    const best = (query: string) => rank(sections, query).map(({ page }) => page);
    expect(best("fee delegation ten minutes")[0]).toBe("docs/guide/first-dapp.html");
    expect(best("eth_getBlockByNumber")).toContain("docs/reference/rpc/eth.html");
    expect(best("otterscan")).toContain("docs/guide/tracing.html");
    expect(best("backup")).toContain("docs/guide/operations.html");
    expect(best("nosuchwordanywhere")).toEqual([]);
    expect(best("  ")).toEqual([]);
    expect(rank(sections, "the").length).toBe(20);
  });
});

describe("a page", () => {
  const html = (markdown: string) => render(root, "docs/guide/x.md", markdown).html;

  it("links to pages, sources and other sites", () => {
    expect(html("[a](keys.md#back-up)")).toContain('href="keys.html#back-up"');
    expect(html("[a](../../README.md)")).toContain('href="../../index.html"');
    expect(html("[a](../../examples)")).toContain('href="../../examples/README.html"');
    expect(html("[a](https://kaia.io)")).toContain('href="https://kaia.io" rel="noreferrer"');
  });

  it("is rejected with a broken link", () => {
    for (const link of ["nowhere.md", "../../../../etc/passwd", "../../src"])
      expect(() => html(`[a](${link})`)).toThrow(/does not exist|has no README/);
  });

  it("is reported with a link to a missing heading", () => {
    const page = "docs/guide/keys.md";
    const pages = new Map([[page, render(root, page, "# A b\n\n[a](#a-b) [c](keys.md#c-d)")]]);
    expect([...missingHeadings(pages)]).toEqual([`${page}: ${page} has no heading #c-d`]);
  });

  it("shows code verbatim, and distinguishes headings with the same text", () => {
    expect(html("`<script>`")).toContain("&lt;script&gt;");
    expect(html("# A b\n\n# A b\n")).toContain('id="a-b-1"');
  });
});
