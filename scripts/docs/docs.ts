// `npm run docs [-- --check]`: writes what of docs/reference/ is declared in the code, the methods of RPC (rpc/) and the
// options (options.md); with --check compares it.
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

/** Pages that are there, in the folder that has no others. */
function committed(): string[] {
  return existsSync(`${folder}rpc`) ? readdirSync(`${folder}rpc`).map((name) => `rpc/${name}`) : [];
}
