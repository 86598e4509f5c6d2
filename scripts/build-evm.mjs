// Compiles the EVM interpreter (src/ledger/evm/engine/interpreter/wasm, AssemblyScript) to one WebAssembly module.
// Output goes to node_modules/.cache/kairn, for code run from source, and also to dist/assets if dist/ exists. The build and
// vitest run `setup` first.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(root, "src", "ledger", "evm", "engine", "interpreter");
const cache = join(root, "node_modules", ".cache", "kairn");
const NAME = "interpreter.wasm";
export const interpreterFile = join(cache, NAME);
const OPTIONS = [
  ...["-O3", "--noAssert", "--runtime", "stub", "--enable", "simd", "--enable", "bulk-memory"],
  ...["--exportTable", "--importMemory", "--memoryBase", "65536", "--initialMemory", "16"],
];

/** Fingerprint of everything that determines the module's bytes. */
function fingerprint() {
  const hash = createHash("sha256").update(OPTIONS.join(" "));
  const sources = readdirSync(join(folder, "wasm")).map((name) => join("wasm", name));
  for (const name of [...sources.sort(), "../layout.ts"])
    hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest("hex");
}

async function compile(target) {
  const { default: asc } = await import("assemblyscript/asc");
  const output = [];
  const write = (text) => output.push(text);
  const entry = join("src", "ledger", "evm", "engine", "interpreter", "wasm", "index.ts");
  const { error } = await asc.main([entry, ...OPTIONS, "--baseDir", root, "--outFile", target], {
    stdout: { write },
    stderr: { write },
  });
  if (error) throw new Error(`the interpreter does not compile\n${output.join("")}`);
}

/** Compiles the module unless the cached one is up to date. */
export async function setup() {
  mkdirSync(cache, { recursive: true });
  const stamp = join(cache, `${NAME}.sources`);
  const current = fingerprint();
  if (existsSync(interpreterFile) && existsSync(stamp) && readFileSync(stamp, "utf8") === current) return;
  const temporary = `node_modules/.cache/kairn/${process.pid}.wasm`;
  await compile(temporary);
  renameSync(join(root, temporary), interpreterFile);
  writeFileSync(stamp, current);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await setup();
  const assets = join(root, "dist", "assets");
  if (existsSync(join(root, "dist"))) {
    mkdirSync(assets, { recursive: true });
    copyFileSync(interpreterFile, join(assets, NAME));
  }
}
