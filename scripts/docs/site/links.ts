// Resolves links of Markdown files to files of the site.

import { existsSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** The target of a link: a page, a copied file, or another site. */
export type Target =
  | { readonly kind: "page"; readonly source: string; readonly anchor: string }
  | { readonly kind: "file"; readonly source: string; readonly anchor: string }
  | { readonly kind: "outside"; readonly url: string };

/** The page of a Markdown file, or of another text file. */
export function pageOf(source: string): string {
  if (source === "README.md") return "index.html";
  return source.endsWith(".md") ? `${source.slice(0, -3)}.html` : `${source}.html`;
}

/** The relative path from a page to another file of the site. */
export function relativePath(page: string, to: string): string {
  return posix.relative(posix.dirname(page), to) || posix.basename(to);
}

/** @param source - the Markdown file with the link @throws Error for a broken link */
export function targetOf(root: string, source: string, href: string): Target {
  if (/^(https?|mailto):/.test(href)) return { kind: "outside", url: href };
  const [path = "", anchor = ""] = href.split("#");
  if (path === "") return { kind: "page", source, anchor };
  const found = posix.normalize(posix.join(dirname(source), path)).replace(/\/$/, "");
  const file = join(root, found);
  if (found.startsWith("..") || !existsSync(file)) throw new Error(`${source}: ${href} does not exist`);
  if (!statSync(file).isDirectory())
    return { kind: /\.(svg|png)$/.test(found) ? "file" : "page", source: found, anchor };
  const readme = posix.join(found, "README.md");
  if (!existsSync(join(root, readme))) throw new Error(`${source}: the folder ${href} has no README.md`);
  return { kind: "page", source: readme, anchor };
}
