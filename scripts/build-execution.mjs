// Bundles the worker thread that executes calls, for tests, which run from source: Node's threads cannot load TypeScript. Output
// goes to node_modules/.cache/kairn, where code run from source finds it.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

export async function setup() {
  await build({
    absWorkingDir: root,
    entryPoints: ["src/node/workers/execution-worker.ts"],
    outfile: join("node_modules", ".cache", "kairn", "execution-worker.mjs"),
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
}
