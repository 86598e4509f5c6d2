import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { kairn, newFolder } from "../testing/kairn.ts";
// preloaded, so that no test waits for it
import "./setup.ts";

it("writes the requested number of validators, on consecutive ports, and prints the owner of the funds", async () => {
  const dir = join(newFolder(), "net");
  const flags = [
    "--validators",
    "2",
    "--chain-id",
    "77",
    "--host",
    "10.0.0.1",
    "--port",
    "100",
    "--http.port",
    "200",
  ];
  const { code, stdout, stderr } = await kairn(["setup", "--dir", dir, ...flags]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const address = "0x[0-9a-fA-F]{40}";
  expect(stdout).toMatch(
    new RegExp(
      `^network 77 in ${dir}\n {2}node1 {2}${address}\n {2}node2 {2}${address}\n {2}funds {2}${address} \\(its key: ` +
        `owner-key\\)\nstart it with ${dir}/start\\.sh\n$`,
    ),
  );
  expect(existsSync(join(dir, "node3"))).toBe(false);
  const start = readFileSync(join(dir, "start.sh"), "utf8");
  for (const text of ["100", "101", "200", "201"]) expect(start).toMatch(new RegExp(`\\b${text}\\b`));
});

it("defaults to four validators on the well-known ports, with a random chain id", async () => {
  const dir = join(newFolder(), "net");
  const { stdout } = await kairn(["setup", "--dir", dir]);
  expect(stdout).toContain("  node4  0x");
  expect(stdout).not.toContain("node5");
  const start = readFileSync(join(dir, "start.sh"), "utf8");
  for (const text of ["32323", "32326", "8551", "8554"]) expect(start).toMatch(new RegExp(`\\b${text}\\b`));
  expect((await kairn(["setup", "--dir", dir])).code).not.toBe(0);
});

it.each([
  [[], "usage: kairn setup --dir D [--validators 4]"],
  [["--dir", "d", "more"], "usage: kairn setup"],
  [["--dir", "d", "--validators", "0"], "from 1 to 100"],
  [["--dir", "d", "--validators", "101"], "from 1 to 100"],
  [["--dir", "d", "--port", "65436"], "from 1 to 65435"],
  [["--dir", "d", "--http.port", "0"], "from 1 to 65435"],
  [["--dir", "d", "--chain-id", "2147483648"], "from 1 to 2147483647"],
])("refuses %j", async (args, text) => {
  const { code, stderr } = await kairn(["setup", ...args]);
  expect(code).toBe(2);
  expect(stderr).toContain(text);
});
