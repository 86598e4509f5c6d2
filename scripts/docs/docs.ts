// `npm run docs [-- --check]`: writes the generated parts of docs/reference/, the RPC methods (rpc/) and the options (options.md);
// with --check compares them.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { optionPage } from "./option-page.ts";
import { referencePages } from "./reference.ts";

const folder = fileURLToPath(new URL("../../docs/reference/", import.meta.url));
const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const methods = [...referencePages()].map(([name, text]) => [`rpc/${name}`, text] as const);
const pages: ReadonlyMap<string, string> = new Map([...methods, ["options.md", optionPage()]]);

if (values.check) {
  const changed = [...new Set([...pages.keys(), ...committed()])].filter(
    (name) => !existsSync(folder + name) || readFileSync(folder + name, "utf8") !== pages.get(name),
  );
  for (const name of changed) console.error(`docs/reference/${name} differs; run: npm run docs`);
  process.exit(changed.length === 0 ? 0 : 1);
}

mkdirSync(`${folder}rpc`, { recursive: true });
for (const name of committed()) if (!pages.has(name)) rmSync(folder + name);
for (const [name, text] of pages) writeFileSync(folder + name, text);
console.log(`docs/reference: ${pages.size} pages`);

/** Existing pages of the RPC methods. */
function committed(): string[] {
  return existsSync(`${folder}rpc`) ? readdirSync(`${folder}rpc`).map((name) => `rpc/${name}`) : [];
}
