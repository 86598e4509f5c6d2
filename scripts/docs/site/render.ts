// Renders a Markdown file as HTML, with the sections of its text for the search.

import { Marked, type Tokens } from "marked";
import { pageOf, relativePath, type Target, targetOf } from "./links.ts";

/** A section of a page, for the search. */
export interface Section {
  /** Path of the page in the site. */
  readonly page: string;
  readonly anchor: string;
  readonly title: string;
  readonly text: string;
}

/** A rendered file. */
export interface Rendered {
  readonly html: string;
  readonly sections: readonly Section[];
  /** Ids of its headings and other anchors. */
  readonly anchors: ReadonlySet<string>;
  readonly targets: readonly Target[];
}

/** @param root - folder of the project @param source - path of the file from there */
export function render(root: string, source: string, markdown: string): Rendered {
  const page = pageOf(source);
  const anchors = new Set<string>();
  const targets: Target[] = [];
  const sections: { page: string; anchor: string; title: string; text: string }[] = [];
  const follow = (href: string): string => {
    const target = targetOf(root, source, href);
    targets.push(target);
    if (target.kind === "outside") return target.url;
    const to = target.kind === "page" ? pageOf(target.source) : target.source;
    const way = to === page && target.anchor !== "" ? "" : relativePath(page, to);
    return target.anchor === "" ? way : `${way}#${target.anchor}`;
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const id = anchorOf(text, anchors);
        const shown = this.parser.parseInline(tokens);
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${shown}</a></h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const to = follow(href);
        const rel = /^https?:/.test(to) ? ' rel="noreferrer"' : "";
        return `<a href="${escaped(to)}"${rel}>${this.parser.parseInline(tokens)}</a>`;
      },
      image: ({ href, text }: Tokens.Image) => `<img src="${escaped(follow(href))}" alt="${escaped(text)}">`,
      table(token: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join("")}</tr>`;
        const body = token.rows.map((cells) => row(cells, "td")).join("");
        return `<div class="wide"><table><thead>${row(token.header, "th")}</thead><tbody>${body}</tbody></table></div>\n`;
      },
      html({ text }: Tokens.HTML | Tokens.Tag) {
        for (const [, id = ""] of text.matchAll(/ id="([^"]*)"/g)) anchors.add(id);
        return text;
      },
    },
  });
  for (const token of marked.lexer(markdown)) {
    if (token.type === "heading") sections.push({ page, anchor: "", title: plain(token["text"]), text: "" });
    else if (token.type !== "html") (sections.at(-1) ?? { text: "" }).text += ` ${plain(token.raw)}`;
  }
  const html = String(marked.parse(markdown));
  const ids = [...html.matchAll(/<h[1-6] id="([^"]*)"/g)].map(([, id = ""]) => id);
  const placed = sections.map((section, i) => ({ ...section, anchor: ids[i] ?? "" }));
  return { html, sections: placed, anchors, targets };
}

/** Links to headings that do not exist, one line each; links to pages other than the given ones are not checked. */
export function* missingHeadings(pages: ReadonlyMap<string, Rendered>): Generator<string> {
  for (const [source, { targets }] of pages) {
    for (const target of targets) {
      if (target.kind !== "page" || target.anchor === "") continue;
      const to = pages.get(target.source);
      if (to !== undefined && !to.anchors.has(target.anchor))
        yield `${source}: ${target.source} has no heading #${target.anchor}`;
    }
  }
}

/** A text file that is not Markdown, verbatim. */
export function renderText(source: string, text: string): string {
  return `<h1>${escaped(source)}</h1>\n<pre><code>${escaped(text)}</code></pre>\n`;
}

/** Text escaped for HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The id of a heading as on GitHub; repeated headings are numbered. */
function anchorOf(text: string, taken: Set<string>): string {
  const base = text
    .toLowerCase()
    .replace(/\]\([^)]*\)/g, "")
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
    .replaceAll(" ", "-");
  let id = base;
  for (let number = 1; taken.has(id); number++) id = `${base}-${number}`;
  taken.add(id);
  return id;
}

/** Markdown without markup, on one line. */
function plain(markdown: string): string {
  return markdown
    .replace(/\]\([^)]*\)/g, "]")
    .replace(/[`*|#>[\]]+/g, " ")
    .replace(/-{3,}/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}
