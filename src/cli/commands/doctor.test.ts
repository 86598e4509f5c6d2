import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Finding } from "../doctor/finding.ts";
import { kairn, newFolder } from "../testing/kairn.ts";
// preloaded, so that no test waits for it
import "./doctor.ts";

const FREE = ["--rpcport", "0", "--wsport", "0", "--port", "0"];

it("shows a line for each finding, as text or JSON", async () => {
  const folder = newFolder();
  const json = await kairn(["doctor", "--json", "--datadir", folder, ...FREE]);
  const findings: Finding[] = JSON.parse(json.stdout);
  expect(json.code).toBe(0);
  expect(findings.map(({ about }) => about)).toEqual(
    expect.arrayContaining(["Node.js", "memory", "data folder", "disk", "keys", "port 0"]),
  );
  const { code, stdout } = await kairn(["doctor", "--datadir", folder, ...FREE]);
  expect(code).toBe(0);
  expect(stdout).toContain(`✔ data folder  ${folder}\n`);
  expect(stdout.split("\n").filter((line) => /^[✔✘!] /.test(line))).toHaveLength(findings.length);
});

it("reports ports in use, which need not keep the node from starting", async () => {
  const servers = [createServer(), createServer(), createServer()];
  const hosts = ["127.0.0.1", "127.0.0.1", "0.0.0.0"];
  onTestFinished(() => servers.forEach((server) => void server.close()));
  const ports = await Promise.all(
    servers.map(
      (server, i) =>
        new Promise<number>((resolve) => {
          server.listen(0, hosts[i], () => resolve((server.address() as { port: number }).port));
        }),
    ),
  );
  const [http, ws, peers] = ports.map(String) as [string, string, string];
  const flags = ["--rpcport", http, "--wsport", ws, "--port", peers];
  const { code, stdout } = await kairn(["doctor", "--datadir", newFolder(), ...flags]);
  expect(code).toBe(0);
  for (const [port, use, flag] of [
    [http, "JSON-RPC over HTTP", "rpcport"],
    [ws, "JSON-RPC over WebSocket", "wsport"],
    [peers, "other nodes", "port"],
  ]) {
    expect(stdout).toContain(`! ${`port ${port}`.padEnd(12)} ${use} cannot listen on it: EADDRINUSE\n`);
    expect(stdout).toContain(`or choose another port with --${flag}\n`);
  }
});

it("fails for serious findings, with advice", async () => {
  const folder = newFolder();
  mkdirSync(join(folder, "keystore"));
  writeFileSync(join(folder, "nodekey"), "00", { mode: 0o644 });
  const { code, stdout } = await kairn(["doctor", "--datadir", folder, ...FREE]);
  expect(code).toBe(1);
  const key = join(folder, "nodekey");
  expect(stdout).toContain(
    `✘ keys         others can read ${key}\n               → chmod -R go-rwx ${key}\n`,
  );
});
