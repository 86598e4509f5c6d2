// `npm run docs:site [-- FOLDER]`: writes the documentation as a static site, to `site/` unless a folder is given.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { siteFiles } from "./site/site.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = resolve(process.argv[2] ?? join(root, "site"));
const files = siteFiles(root);
for (const [path, content] of files) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
console.log(`${files.size} files; open ${join(folder, "index.html")}`);
