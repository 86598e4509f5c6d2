import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { kairn, newFolder, startKairn } from "../testing/kairn.ts";
// preloaded, so that no test waits for it
import "./bootnode.ts";

const bootnode = (...args: string[]) => kairn(["bootnode", ...args]);

it("writes a key that only its owner can read, never over another, and prints its identity", async () => {
  const file = join(newFolder(), "key");
  expect(await bootnode("--genkey", file)).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(readFileSync(file, "utf8")).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await bootnode("--genkey", file)).toMatchObject({
    ...{ code: 1, stderr: expect.stringMatching(/^kairn: EEXIST/) },
  });
  const { stdout } = await bootnode("--nodekey", file, "--writeaddress");
  expect(stdout).toMatch(/^[0-9a-f]{128}\n$/);
  const hex = readFileSync(file, "utf8");
  expect((await bootnode("--nodekeyhex", hex, "--writeaddress")).stdout).toBe(stdout);
  const both = await bootnode("--nodekey", file, "--nodekeyhex", hex);
  expect(both).toMatchObject({
    ...{ code: 2, stderr: "kairn: --nodekey and --nodekeyhex cannot be given together\n" },
  });
});

it("needs a key", async () => {
  expect(await bootnode()).toMatchObject({
    ...{ code: 2, stderr: "kairn: --nodekey or --nodekeyhex must give the key; --genkey creates one\n" },
  });
});

it("prints where it listens, and ends on SIGTERM", async () => {
  const data = newFolder();
  const flags = ["--nodekeyhex", "01".repeat(32), "--bnaddr", "127.0.0.1:0", "--datadir", data];
  const running = startKairn(["bootnode", ...flags]);
  await running.shows("\n");
  expect(running.printed.stdout).toMatch(
    new RegExp(
      `^kairn: bootnode kni://1b84c556[0-9a-f]{120}@127\\.0\\.0\\.1:\\d+\\?ntype=bn, listening on ${data}/\\S+\n$`,
    ),
  );
  running.signal("SIGTERM");
  expect(await running.ended).toBe(0);
});
