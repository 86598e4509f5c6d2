import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rpcCall } from "./json-rpc.ts";
import { runKairn, startKairn } from "./kairn-process.ts";
import { temporaryFolder } from "./started-node.ts";

let folder: string;
let key: string;
beforeAll(async () => {
  folder = temporaryFolder();
  key = join(folder, "boot.key");
  expect(await runKairn(["bootnode", "--genkey", key])).toEqual({ code: 0, stdout: "", stderr: "" });
});
afterAll(() => rmSync(folder, { recursive: true }));

it("writes an owner-only key, and never overwrites one", async () => {
  expect(readFileSync(key, "utf8")).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(key).mode & 0o777).toBe(0o600);
  const { code, stderr } = await runKairn(["bootnode", "--genkey", key]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^kairn: EEXIST: [^\n]+\n$/);
});

it("prints its identity", async () => {
  const { stdout } = await runKairn(["bootnode", "--nodekey", key, "--writeaddress"]);
  expect(stdout).toMatch(/^[0-9a-f]{128}\n$/);
  const { stdout: hex } = await runKairn(["bootnode", "--nodekeyhex", "01".repeat(32), "--writeaddress"]);
  expect(hex).toMatch(/^1b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f/);
});

it("serves its methods, and stops on request", async () => {
  const flags = ["--bnaddr", "127.0.0.1:0", "--rpc", "--rpcport", "0", "--verbosity", "2"];
  const authorized = `kni://${"1b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f70beaf8f588b541507fed6a642c5ab42dfdf8120a7f639de5122d47a69a8e8d1"}@127.0.0.1:9?ntype=cn`;
  const named = ["--networkid", "77", "--authorized-nodes", authorized];
  const bootnode = startKairn(["bootnode", "--nodekey", key, ...named, ...flags]);
  const line = await bootnode.firstLine();
  const url = /http:\/\/[^ ,]+/.exec(line)?.[0] as string;
  expect(line).toMatch(/^kairn: bootnode kni:\/\/[0-9a-f]{128}@127\.0\.0\.1:[0-9]+\?ntype=bn, listening on/);
  expect(await rpcCall(url, "bootnode_name")).toBe("TableDiscovery");
  expect(await rpcCall(url, "net_networkID")).toBe("77");
  expect(await rpcCall(url, "bootnode_getAuthorizedNodes")).toEqual([authorized]);
  await expect(rpcCall(url, "eth_blockNumber")).rejects.toThrow("eth_blockNumber");
  const port = /:([0-9]+)\?ntype/.exec(line)?.[1] as string;
  const second = await runKairn(["bootnode", "--nodekey", key, "--bnaddr", `127.0.0.1:${port}`]);
  expect(second.code).toBe(1);
  expect(second.stderr.trimEnd().split("\n").at(-1)).toBe(
    `kairn: --bnaddr ${port}: the UDP port is in use on 127.0.0.1`,
  );
  bootnode.child.kill("SIGINT");
  expect(await bootnode.exited).toBe(0);
});

it.each([
  [[], "--nodekey or --nodekeyhex must give the key; --genkey creates one"],
  [["--nodekey", "a", "--nodekeyhex", "b"], "--nodekey and --nodekeyhex cannot be given together"],
  [["--nodekey", "KEY", "--bnaddr", "host:1"], '--bnaddr: "host:1" is not an address such as :32323'],
  [["--nodekey", "KEY", "--bnaddr", "99999"], '--bnaddr: "99999" is not a whole number from 0 to 65535'],
])("%j stop it with a one-line error", async (flags, text) => {
  const { code, stdout, stderr } = await runKairn([
    "bootnode",
    ...flags.map((flag) => (flag === "KEY" ? key : flag)),
  ]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^kairn: [^\n]+\n$/);
  expect(stderr).toContain(text);
});
