import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startKairn } from "./kairn-process.ts";
import { temporaryFolder } from "./started-node.ts";

/** Each costs a start half a millisecond to ten. */
const UNUSED = [
  "_http_server",
  "secp256k1",
  "dns/promises",
  "tls",
  "worker_threads",
  "webcrypto",
  "rimraf",
  "blocklist",
];

it("starts without the modules that only few nodes need", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const spy = join(folder, "spy.cjs");
  writeFileSync(
    spy,
    `const { write } = process.stdout;
    process.stdout.write = (text) => {
      const loaded = [...process.moduleLoadList, ...Object.keys(require.cache)];
      write.call(process.stdout, JSON.stringify(loaded) + "\\n");
      process.stdout.write = write;
    };`,
  );
  const flags = ["--json", "--quiet", "--datadir", join(folder, "data"), "--rpcport", "0", "--wsport", "0"];
  const node = startKairn(["dev", ...flags], { env: { NODE_OPTIONS: `--require ${spy}` } });
  const loaded = JSON.parse(await node.firstLine()) as string[];
  node.child.kill("SIGINT");
  expect(await node.exited).toBe(0);
  expect(loaded.filter((name) => /lmdb.*\.node$/.test(name))).toHaveLength(1);
  expect(UNUSED.filter((part) => loaded.some((name) => new RegExp(`\\b${part}\\b`).test(name)))).toEqual([]);
});
