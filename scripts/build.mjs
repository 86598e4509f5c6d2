// Builds dist/: the EVM's WebAssembly, the bundled program and library, and the type declarations.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled, root, run, runBin } from "./lib.mjs";

ensureInstalled();
const started = Date.now();
const { build } = await import("esbuild");
const {
  dependencies,
  optionalDependencies = {},
  version,
} = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const dist = join(root, "dist");

// Pure JavaScript dependencies are bundled (one file opens faster than a hundred); native and CommonJS ones stay outside.
const bundled = /^@(noble|scure)\//;
const external = Object.keys({ ...dependencies, ...optionalDependencies }).filter(
  (name) => !bundled.test(name),
);

rmSync(dist, { recursive: true, force: true });
cpSync(join(root, "assets"), join(dist, "assets"), { recursive: true });
if (existsSync(join(root, "scripts", "build-evm.mjs")))
  run(process.execPath, [join(root, "scripts", "build-evm.mjs")]);

const entries = {
  main: "src/cli/main.ts",
  index: "src/node/index.ts",
  "recover-worker": "src/node/workers/recover-worker.ts",
};
await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(join(root, file)))),
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  conditions: ["node"],
  external,
  sourcemap: true,
  chunkNames: "chunks/[name]-[hash]",
  define: { "process.env.KAIRN_VERSION": JSON.stringify(version) },
  logLevel: "warning",
});
if (!process.argv.includes("--no-types")) runBin("tsc", ["-p", "tsconfig.build.json"]);
writeFileSync(join(dist, ".built"), "");
console.error(`kairn: built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
