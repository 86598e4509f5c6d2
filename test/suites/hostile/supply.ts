import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type HostileRow, hold } from "./row.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const run = promisify(execFile);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

interface LockFiles {
  lockProblems(): readonly string[];
  runtimePackages(): readonly { readonly name: string; readonly optional?: boolean; readonly os?: unknown }[];
}

const lockFiles = (): Promise<LockFiles> =>
  import(new URL("../../../scripts/lock-files.mjs", import.meta.url).href) as Promise<LockFiles>;

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-supply-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function dependencies(): Promise<string> {
  const { lockProblems, runtimePackages } = await lockFiles();
  const problems = lockProblems();
  hold(problems.length === 0, problems.join("\n"));
  const packages = runtimePackages();
  const binaries = packages.filter(({ os }) => os !== undefined).length;
  return `${packages.length} run-time packages, ${binaries} of them binaries of platforms, each with its hash`;
}

/** Allowed content of the package besides `dist/chunks` and the declarations. */
const PACKED = [
  /LICENSE/,
  /README\.md/,
  /package\.json/,
  /bin\/(kairn|program\.js|package\.json)/,
  /assets\/[A-Za-z0-9./-]+/,
  /dist\/assets\/[A-Za-z0-9./-]+/,
  /ops\/[A-Za-z0-9-]+(\.[a-z]+)?/,
  /ops\/sql\/[a-z0-9-]+\.sql/,
  /dist\/sbom\.cdx\.json/,
  /dist\/man\/kairn\.1/,
  /dist\/\.built/,
  /dist\/program\.cjs(\.map|\.cache)?/,
  /dist\/(index|client|derive-key|io-process|[a-z]+-worker)\.js(\.map)?/,
  /dist\/chunks\/[A-Za-z0-9-]+\.js(\.map)?/,
  /dist\/types\/[a-z0-9./-]+\.d\.ts/,
].map(({ source }) => new RegExp(`^(?:${source})$`));

async function content(): Promise<string> {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const { stdout } = await run(npm, args, { cwd: root, maxBuffer: 1 << 26 });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  const strange = paths.filter((path) => !PACKED.some((pattern) => pattern.test(path)));
  hold(strange.length === 0, `in the package: ${strange.join(", ")}`);
  for (const needed of [
    "bin/kairn",
    "dist/program.cjs",
    "dist/index.js",
    "dist/client.js",
    "dist/derive-key.js",
    "dist/io-process.js",
    "dist/execution-worker.js",
    "dist/sbom.cdx.json",
    "dist/man/kairn.1",
    "ops/alerts.yml",
    "ops/sql/0001-change-log.sql",
  ])
    hold(paths.includes(needed), `${needed} is not in the package`);
  const bill = JSON.parse(readFileSync(join(root, "dist/sbom.cdx.json"), "utf8")) as {
    components: { name: string }[];
  };
  const { runtimePackages } = await lockFiles();
  const [listed, locked] = [bill.components, runtimePackages()].map((list) =>
    list.map(({ name }) => name).sort(),
  );
  hold(JSON.stringify(listed) === JSON.stringify(locked), "the bill of materials differs from the lock file");
  return `${paths.length} files, a bill of ${bill.components.length} packages`;
}

/** Hashes of a build's output, except V8's code cache, which depends on the machine. */
function hashesOf(folder: string): Map<string, string> {
  const hashes = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith(".cache")) continue;
    const path = join(entry.parentPath, entry.name);
    hashes.set(relative(folder, path), createHash("sha256").update(readFileSync(path)).digest("hex"));
  }
  return hashes;
}

async function twoBuilds(): Promise<string> {
  return inFolder(async (folder) => {
    const built: Map<string, string>[] = [];
    for (const name of ["one", "another-place"]) {
      const at = join(folder, name);
      const copied = [
        "src",
        "scripts",
        "bin",
        "assets",
        "package.json",
        "package-lock.json",
        "tsconfig.json",
      ];
      for (const part of [...copied, "tsconfig.build.json", "docs"])
        cpSync(join(root, part), join(at, part), { recursive: true });
      symlinkSync(join(root, "node_modules"), join(at, "node_modules"));
      await run(process.execPath, [join(at, "scripts/build.mjs"), "--no-types"], { cwd: at });
      built.push(hashesOf(join(at, "dist")));
    }
    const [one, other] = built as [Map<string, string>, Map<string, string>];
    const differing = [...new Set([...one.keys(), ...other.keys()])].filter(
      (path) => one.get(path) !== other.get(path),
    );
    hold(differing.length === 0, `the builds differ in ${differing.join(", ")}`);
    return `${one.size} files equal in two folders`;
  });
}

/** Starts a node with arguments and sends one request. */
async function answers(cwd: string, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr = (stderr + text).slice(-2000);
  });
  try {
    const line = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once("line", resolve);
      child.once("close", (code) => reject(new Error(`ended with ${code}: ${stderr}`)));
    });
    const { endpoints } = JSON.parse(line) as { endpoints: { http: string } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    hold((await (await fetch(endpoints.http, init)).text()).includes('"0x0"'), "no answer");
  } finally {
    if (child.exitCode === null) {
      const closed = new Promise((resolve) => child.once("close", resolve));
      child.kill("SIGTERM");
      await closed;
    }
  }
}

const ON_FREE_PORTS = ["--rpcport", "0", "--wsport", "0", "--json"];

async function freshInstall(): Promise<string> {
  return inFolder(async (folder) => {
    const at = join(folder, "kairn");
    await run("git", ["clone", "--quiet", "--no-hardlinks", root, at]);
    const began = performance.now();
    await run(npm, ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", join(folder, "cache")], {
      cwd: at,
    });
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    await run(process.execPath, ["scripts/build.mjs", "--no-types"], { cwd: at });
    await answers(at, ["bin/kairn", "dev", "--datadir", join(folder, "data"), ...ON_FREE_PORTS]);
    return `installed from an empty cache in ${seconds} s, built, answered`;
  });
}

async function narrowed(): Promise<string> {
  return inFolder(async (folder) => {
    const read = ["--experimental-permission", "--allow-addons", "--allow-worker", "--allow-fs-read=*"];
    const permissions = [...read, `--allow-fs-write=${folder}/*`];
    await answers(root, [...permissions, "bin/kairn", "dev", "--ephemeral", ...ON_FREE_PORTS]);
    const genesis = ["bin/kairn", "init", "--testnet", "--datadir", `${folder}-elsewhere`];
    const refused = await run(process.execPath, [...permissions, ...genesis], { cwd: root }).then(
      () => "written",
      (error: { stderr: string }) => error.stderr,
    );
    rmSync(`${folder}-elsewhere`, { recursive: true, force: true });
    hold(refused.includes("Access to this API has been restricted"), `elsewhere: ${refused.slice(0, 300)}`);
    return "an ephemeral node answers; a folder elsewhere is not written";
  });
}

/** Packages with binaries, which must be present although install scripts did not run. */
const NATIVE = ["@chainsafe/blst", "secp256k1", "@crate-crypto/node-eth-kzg", "node-hid", "usb"];

async function binaries(): Promise<string> {
  const require = createRequire(join(root, "package.json"));
  for (const name of NATIVE) require(name);
  await inFolder(async (folder) => {
    const { open } = (await import("lmdb")) as typeof import("lmdb");
    const store = open({ path: join(folder, "store.mdb"), encoding: "binary" });
    await store.put("key", Buffer.from("value"));
    hold(store.get("key")?.toString() === "value", "lmdb does not keep what it is given");
    await store.close();
  });
  return `lmdb wrote and read; ${NATIVE.join(", ")} loaded`;
}

/** Installed, packed and built content. */
export const supply: readonly HostileRow[] = [
  { id: "C1", promise: "few packages, all pinned, hashed, licensed and described", run: dependencies },
  { id: "C2", promise: "the package holds what it should, and a bill of materials", run: content },
  { id: "C2l", promise: "two builds are equal", isLong: true, run: twoBuilds },
  { id: "C3", promise: "a fresh clone installs without scripts and starts", isLong: true, run: freshInstall },
  { id: "C4", promise: "runs under Node's permission model", run: narrowed },
  { id: "C5", promise: "binaries work without install scripts", run: binaries },
];
