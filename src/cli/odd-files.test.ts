import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { kairn, newFolder } from "./testing/kairn.ts";

/** What may stand in place of a file or a folder. */
const THINGS: Readonly<Record<string, (path: string) => void>> = {
  "a folder": (path) => mkdirSync(path),
  "a pipe": (path) => execFileSync("mkfifo", [path]),
  "a device": (path) => symlinkSync("/dev/zero", path),
  "a link that leads nowhere": (path) => symlinkSync(join(`${path}-none`, "x"), path),
  "a link to itself": (path) => symlinkSync(path, path),
  "an empty file": (path) => writeFileSync(path, ""),
  "text in Latin-1": (path) => writeFileSync(path, Buffer.from("p\u00e4ss", "latin1")),
  "a gigabyte": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 2 ** 30);
  },
};

/** Option, its exit code, and by what in its place it ends. */
const CASES: readonly (readonly [string, number, readonly string[]])[] = [
  ["--keystore", 78, ["a pipe", "a device", "a link to itself", "an empty file", "a gigabyte"]],
  ["--datadir", 73, ["a pipe", "a device", "a link that leads nowhere", "an empty file", "a gigabyte"]],
  ["--datadir", 78, ["a link to itself"]],
  ["--config-out", 2, ["a folder", "a pipe", "a link that leads nowhere", "a link to itself"]],
  ["--nodekey", 2, ["a folder", "a device", "a link to itself", "an empty file", "a gigabyte"]],
  ["--bls-nodekey", 2, ["a folder", "a device", "a link to itself", "an empty file", "a gigabyte"]],
  ["--ipcpath", 2, ["a folder", "a pipe", "an empty file"]],
  ["--dump-state", 74, ["a folder", "a pipe", "a device", "a link that leads nowhere", "a link to itself"]],
];

it("a passphrase file that is not UTF-8 makes no key: it would have another passphrase", async () => {
  const folder = newFolder();
  const path = join(folder, "pass");
  THINGS["text in Latin-1"]?.(path);
  const { code, stderr } = await kairn(["account", "new", "--datadir", folder, "--password", path]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `kairn: --password: ${path} is not a text in UTF-8\n`,
  });
});

it("a file in the genesis's place is not shown", async () => {
  const folder = newFolder();
  const path = join(folder, "genesis.json");
  writeFileSync(path, "secret words");
  const { code, stderr } = await kairn(["init", "--datadir", join(folder, "data"), path]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `kairn: ${path}: invalid genesis file: Unexpected token 's'\n`,
  });
});

it("an IPC socket on which another program listens is named", async () => {
  const path = join(newFolder(), "other.ipc");
  const other = createServer().listen(path);
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const ports = ["--rpcport", "0", "--wsport", "0"];
  const { code, stderr } = await kairn(["dev", "--ephemeral", ...ports, "--ipcpath", path]);
  expect(code).toBe(1);
  expect(stderr).toBe(`kairn: ${path} is in use by another program; choose another --ipcpath\n`);
});

describe.runIf(process.platform === "linux")("in place of what an option names", () => {
  it.each(CASES.flatMap(([flag, code, things]) => things.map((thing) => [thing, flag, code] as const)))(
    "%s ends %s with its path and %i, at once",
    async (thing, flag, code) => {
      const folder = newFolder();
      const path = join(folder, "thing");
      THINGS[thing]?.(path);
      const ports = ["--rpcport", "0", "--wsport", "0", "--port", "0"];
      const place = flag === "--datadir" ? [] : ["--datadir", join(folder, "data")];
      const ended = await kairn(["dev", ...ports, ...place, flag, path]);
      expect(ended).toMatchObject({ code, stderr: expect.stringContaining(path) });
      expect(ended.stderr).not.toMatch(/^ +at /m);
    },
    20_000,
  );
});
