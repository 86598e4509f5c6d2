// Shared by the scripts: installs and builds the project on demand, and runs programs.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => join(root, ...parts);
const mtime = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);

/** Runs a command in the project folder with its output shown; exits if it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs a program of a development dependency. */
export function runBin(name, args, options) {
  run(process.execPath, [pathOf(name), ...args], options);
}

/**
 * Runs programs of development dependencies in parallel, one per core, and shows the output of each once it has ended; exits if
 * one fails, after those that are running.
 * @param {readonly { name: string, args: readonly string[], env?: Record<string, string> }[]} programs
 */
export async function runBinsInParallel(programs) {
  const waiting = [...programs];
  let failed = 0;
  const work = async () => {
    for (let next = waiting.shift(); next && failed === 0; next = waiting.shift()) {
      const status = await runBuffered(next);
      failed ||= status;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  if (failed !== 0) process.exit(failed);
}

/** @returns the exit status, once all output has been shown */
function runBuffered({ name, args, env }) {
  const output = [];
  const child = spawn(process.execPath, [pathOf(name), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.on("data", (chunk) => output.push(chunk));
  child.stderr.on("data", (chunk) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => {
      process.stdout.write(Buffer.concat(output));
      resolve(status ?? 1);
    });
  });
}

const pathOf = (name) => at("node_modules", name === "tsc" ? "typescript" : name, binOf(name));

const BINS = {
  tsc: "bin/tsc",
  vitest: "vitest.mjs",
  "@biomejs/biome": "bin/biome",
  "dependency-cruiser": "bin/dependency-cruise.mjs",
  knip: "bin/knip.js",
  tsx: "dist/cli.mjs",
  assemblyscript: "bin/asc.js",
};
const binOf = (name) => BINS[name];

/**
 * Installs the packages of the project, or of another folder with a lock file, if they are missing or outdated.
 * @param {Record<string, string>} [env] for npm
 */
export function ensureInstalled(folder = "", env = {}) {
  const modules = at(folder, "node_modules");
  // npm would empty the target of a link, which may belong to another project
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const marker = join(modules, ".kairn-installed");
  const installed = Math.max(mtime(marker), mtime(join(modules, ".package-lock.json"))); // npm's own marker
  if (installed >= mtime(at(folder, "package-lock.json"))) return;
  console.error(
    `kairn: installing ${folder === "" ? "dependencies" : `packages of ${folder}`} (first start only)`,
  );
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  run(npm, ["ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: at(folder),
    env: { ...process.env, ...env },
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  writeFileSync(marker, "");
}

/** Sources besides `src/`: the code cache depends on the flags of the loader. */
const BUILT_FROM = [
  "package.json",
  "bin/program.js",
  "scripts/build.mjs",
  "scripts/code-cache.mjs",
  "scripts/sbom.mjs",
];

/** Builds `dist/`, without type declarations, if a source is newer. */
export function ensureBuilt() {
  const built = mtime(at("dist", ".built"));
  const isOlder = (file) => mtime(at(file)) <= built;
  if (built > 0 && built >= newest(at("src"), built) && BUILT_FROM.every(isOlder)) return;
  console.error("kairn: building");
  run(process.execPath, [at("scripts", "build.mjs"), "--no-types"], { stdio: ["ignore", 2, 2] });
}

/** The latest modification below a folder; stops at the first one past `limit`. */
function newest(folder, limit) {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    latest = Math.max(latest, mtime(join(entry.parentPath ?? entry.path, entry.name)));
    if (latest > limit) return latest;
  }
  return latest;
}
