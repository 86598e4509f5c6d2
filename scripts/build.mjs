// Builds dist/: the EVM's WebAssembly, the bundled program and library, and the type declarations. The folder is replaced
// atomically, so that a program started meanwhile finds either the old files or the new ones.
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildDashboard } from "./build-dashboard.mjs";
import { setup as compileInterpreter, interpreterFile } from "./build-evm.mjs";
import { ensureInstalled, root, run, runBin } from "./lib.mjs";
import { sbom } from "./sbom.mjs";

ensureInstalled();
const started = Date.now();
const { build } = await import("esbuild");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const dist = join(root, "dist");
const next = join(root, "dist.next");
const old = join(root, "dist.old");

// One file loads faster than a hundred, so all JavaScript is bundled, except packages that load a binary, and those that few
// nodes need.
const external = [
  "@chainsafe/blst",
  "secp256k1",
  "node-hid",
  "usb",
  "pg",
  "kafkajs",
  "@crate-crypto/node-eth-kzg",
];

/** Uses `NAME.browser.ts` in place of `NAME.ts`, if there is one: the browser's version of a module that uses Node's API. */
const browserVariants = {
  name: "browser variants",
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir }) => {
      const variant = join(resolveDir, path.replace(/\.ts$/, ".browser.ts"));
      return existsSync(variant) ? { path: variant } : undefined;
    });
  },
};

const usualBinary = `
function loadUsual() {
  const { platform, arch, versions, env } = process;
  if (platform !== "linux" || env.LIBC !== undefined || require("node:fs").existsSync("/etc/alpine-release")) return undefined;
  const name = "@lmdb/lmdb-linux-" + arch + "/node.abi" + versions.modules + ".glibc.node";
  try {
    return require(name);
  } catch {
    return undefined;
  }
}
const search = () => require("node-gyp-build-optional-packages")(dirname(require.resolve("lmdb")).replace(/dist$/, ""));
`;
/**
 * V8 counts lmdb's buffer of 16 MiB for values, and so collects garbage during each start. lmdb allocates a larger one when a
 * value does not fit. The code runs twice with the same addon.
 */
const smallReadBuffer = `
	if (externals.globalBuffer.length > 0x40000) {
		const large = externals.globalBuffer.buffer;
		externals.globalBuffer = Buffer.allocUnsafeSlow(0x40000);
		setGlobalBuffer(externals.globalBuffer);
		detachBuffer(large);
	}
	globalBuffer = externals.globalBuffer;
`;

/** Makes ws load Node's HTTP and TLS modules only when used, by clients and stand-alone servers: the node has neither. */
const quickWs = {
  name: "ws",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]ws[\\/]lib[\\/]websocket\.js$/ }, ({ path }) =>
      changed(path, [
        [
          "const https = require('https');",
          "const https = { get request() { return require('https').request; } };",
        ],
        [
          "const http = require('http');",
          "const http = { get request() { return require('http').request; } };",
        ],
        ["const tls = require('tls');", "const tls = { get connect() { return require('tls').connect; } };"],
      ]),
    );
    // Node 20 has neither of the two functions imported from there
    onLoad({ filter: /[\\/]ws[\\/]lib[\\/]buffer-util\.js$/ }, ({ path }) =>
      changed(path, [
        ["} = require('http');", "} = process.version.startsWith('v20.') ? {} : require('http');"],
      ]),
    );
    onLoad({ filter: /[\\/]ws[\\/]lib[\\/]websocket-server\.js$/ }, ({ path }) =>
      changed(path, [
        [
          "const http = require('http');",
          "const http = { get createServer() { return require('http').createServer; }, get STATUS_CODES() { return " +
            "require('http').STATUS_CODES; } };",
        ],
      ]),
    );
  },
};

/** Embeds the bytes of a WebAssembly module, `NAME.wasm.ts`, instead of the code that assembles it at each start. */
const writtenModules = {
  name: "WebAssembly",
  setup({ initialOptions, onLoad }) {
    const decode =
      initialOptions.platform === "browser"
        ? "Uint8Array.from(atob(text),c=>c.charCodeAt(0))"
        : 'Buffer.from(text,"base64")';
    onLoad({ filter: /\.wasm\.ts$/ }, async ({ path }) => {
      const options = { entryPoints: [path], bundle: true, write: false, format: "esm" };
      const [{ text }] = (await build(options)).outputFiles;
      const { bytes } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
      const written = Buffer.from(bytes()).toString("base64");
      return { contents: `export const bytes=()=>{const text="${written}";return ${decode}}`, loader: "js" };
    });
  },
};

/** A module's source with pieces replaced. @throws Error if a piece is missing: the package has changed */
function changed(path, replacements) {
  let contents = readFileSync(path, "utf8");
  for (const [piece, other] of replacements) {
    if (!contents.includes(piece)) throw new Error(`${path} no longer contains ${piece}`);
    contents = contents.replace(piece, other);
  }
  return { contents, loader: "js" };
}

/**
 * Simplifies what esbuild writes around modules. Each is evaluated by a function that is named after its file, as the only member of an
 * object: V8 would create a hidden class for each of a thousand objects, so all get one name. And `import * as fs` would copy all members
 * of the module each time. Nothing moves, so the source map stays right.
 */
function simplified(text) {
  return text
    .replace(/__esm\(\{"[^"]*"\(\)\{/g, (start) => "__esm({f(){".padEnd(start.length))
    .replace(/__toESM\((require\("node:fs"\)),1\)/g, (whole, fs) => fs.padEnd(whole.length));
}

/**
 * Bundles lmdb: its binary is loaded from the installed package, and its MessagePack encoder is omitted. A binary with the usual
 * name for this platform is loaded directly, without the search, which determines the C library's name through Node.
 */
const bundledLmdb = {
  name: "lmdb",
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]lmdb[\\/]native\.js$/ }, ({ path }) =>
      changed(path, [
        ["import loadNAPI from 'node-gyp-build-optional-packages';", usualBinary],
        ["let dirName = dirname(fileURLToPath(import.meta.url)).replace(/dist$/, '');", ""],
        ["loadNAPI(dirName)", "loadUsual() ?? search()"],
        ["globalBuffer = externals.globalBuffer;", smallReadBuffer],
      ]),
    );
    onLoad(
      { filter: /[\\/]lmdb[\\/]index\.js$/ },
      ({ path }) => changed(path, [["import fs from 'node:fs';", "const fs = require('node:fs');"]]), // without a copy of all its members
    );
    onResolve({ filter: /^msgpackr$/ }, ({ path }) => ({ path, namespace: "absent" }));
    onLoad({ filter: /./, namespace: "absent" }, () => ({ contents: "export const Encoder = undefined;" }));
  },
};

remove(next, old);
cpSync(join(root, "assets"), join(next, "assets"), { recursive: true });
await compileInterpreter();
cpSync(interpreterFile, join(next, "assets", "interpreter.wasm"));

await buildDashboard(join(next, "assets", "dashboard"));

const shared = {
  absWorkingDir: root,
  outdir: next,
  bundle: true,
  platform: "node",
  target: "node20",
  conditions: ["node"],
  external,
  plugins: [bundledLmdb, quickWs, writtenModules],
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160,
  sourcemap: true,
  logLevel: "warning",
};
const defined = {
  "process.env.KAIRN_VERSION": JSON.stringify(version),
  // otherwise ws looks for two optional packages at each start
  "process.env.WS_NO_BUFFER_UTIL": '"1"',
  "process.env.WS_NO_UTF_8_VALIDATE": '"1"',
};

// The library and the workers
await build({
  ...shared,
  entryPoints: {
    index: "src/node/index.ts",
    "recover-worker": "src/node/workers/recover-worker.ts",
    "blob-worker": "src/node/workers/blob-worker.ts",
    "compile-worker": "src/node/workers/compile-worker.ts",
    "execution-worker": "src/node/workers/execution-worker.ts",
    "derive-key": "src/node/workers/derive-key.ts",
    "io-process": "src/platform/sockets/io-process.ts",
    "console-worker": "src/api/console/console-worker.ts",
  },
  splitting: true,
  format: "esm",
  // CommonJS packages in the bundle load Node's modules with `require`
  banner: {
    js: 'import{createRequire as makeRequire}from"node:module";const require=makeRequire(import.meta.url);',
  },
  chunkNames: "chunks/[name]-[hash]",
  define: defined,
});
// The program: one script, so that its compiled code can be cached (scripts/code-cache.mjs), wrapped in the function that Node
// makes of a CommonJS module, so that bin/program.js runs the file unchanged
const { metafile } = await build({
  ...shared,
  entryPoints: { program: "src/cli/main.ts" },
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  banner: {
    js: '(function(exports,require,module,__filename,__dirname){const importMetaUrl=require("node:url").pathToFileURL(__filename).href;',
  },
  footer: { js: "})" },
  define: { ...defined, "import.meta.url": "importMetaUrl" },
  logOverride: { "require-resolve-not-external": "silent" }, // lmdb's, see above
  metafile: true,
});
const program = join(next, "program.cjs");
writeFileSync(program, simplified(readFileSync(program, "utf8")));
for (const { imports } of Object.values(metafile.outputs)) {
  for (const { path, kind } of imports) {
    if (kind === "dynamic-import") throw new Error(`the program cannot import(${path}): use require`);
  }
}
// The typed client, which runs in browsers too
await build({
  ...shared,
  plugins: [browserVariants, writtenModules],
  entryPoints: { client: "src/api/client/index.ts" },
  platform: "browser",
  conditions: ["browser"],
  format: "esm",
  target: "es2023",
});
if (!process.argv.includes("--no-types"))
  runBin("tsc", ["-p", "tsconfig.build.json", "--outDir", join(next, "types")]);
run(process.execPath, [join(root, "scripts", "code-cache.mjs"), program]);
runBin("tsx", [join(root, "scripts", "docs", "man-page.ts"), join(next, "man", "kairn.1")]);
writeFileSync(join(next, "sbom.cdx.json"), sbom());
writeFileSync(join(next, ".built"), "");
if (existsSync(dist)) renameSync(dist, old);
renameSync(next, dist);
remove(old);
console.error(`kairn: built in ${((Date.now() - started) / 1000).toFixed(1)} s`);

function remove(...folders) {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
