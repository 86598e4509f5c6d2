// `npm run docs [-- --check]`: writes docs/reference/rpc/ from the declarations of the methods; with --check compares it.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { referencePages } from "./reference.ts";

const folder = fileURLToPath(new URL("../docs/reference/rpc/", import.meta.url));
const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const pages = referencePages();

if (values.check) {
  const changed = [...new Set([...pages.keys(), ...committed()])].filter(
    (name) => !existsSync(folder + name) || readFileSync(folder + name, "utf8") !== pages.get(name),
  );
  for (const name of changed) console.error(`docs/reference/rpc/${name} differs; run: npm run docs`);
  process.exit(changed.length === 0 ? 0 : 1);
}

mkdirSync(folder, { recursive: true });
for (const name of committed()) if (!pages.has(name)) rmSync(folder + name);
for (const [name, text] of pages) writeFileSync(folder + name, text);
console.log(`docs/reference/rpc: ${pages.size} pages`);

function committed(): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
