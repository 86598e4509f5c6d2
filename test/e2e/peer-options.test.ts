import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runKairn } from "./kairn-process.ts";
import { initPrivateChain, startPrivateNode } from "./private-chain.ts";
import { temporaryFolder } from "./started-node.ts";

const ID = "a".repeat(128);
/** With a valid curve point, so that only the placement of a URL can be wrong. */
const BOOTNODE = `kni://${ID}@127.0.0.1:1?ntype=bn`;

let folder: string;
let taken: Server;
let takenPort: number;
beforeAll(async () => {
  folder = temporaryFolder();
  expect((await initPrivateChain(folder)).code).toBe(0);
  writeFileSync(join(folder, "short.key"), "1234");
  taken = createServer();
  await new Promise<void>((resolve) => void taken.listen(0, "127.0.0.1", resolve));
  takenPort = (taken.address() as { port: number }).port;
});
afterAll(() => {
  taken.close();
  rmSync(folder, { recursive: true });
});

describe("network flags", () => {
  it.each([
    [["--nodetype", "xn"], '--nodetype: "xn" is not one of cn, pn, en'],
    [["--netrestrict", "10.0.0.0/33"], '--netrestrict: "10.0.0.0/33" is not a list of networks'],
    [["--port", "70000"], '--port: "70000" is not a whole number from 0 to 65535'],
    [["--port", "-1"], '--port: "-1" is not a whole number'],
    [["--maxconnections", "many"], '--maxconnections: "many" is not a whole number'],
    [["--maxpendpeers", "1.5"], '--maxpendpeers: "1.5" is not a whole number'],
    [["--nat", "upnp"], '--nat: "upnp" is not none, or extip: and an IP address'],
    [["--nat", "extip:here"], '--nat: "extip:here" is not none'],
    [["--discover-types", "cn,xn"], '--discover-types: "cn,xn" is not auto, or a list of cn, pn and en'],
    [["--nodekeyhex", "12"], "--nodekeyhex: a private key of 64 hex digits is expected"],
    [["--nodekey", "nowhere.key"], "--nodekey nowhere.key: there is no such file"],
    [["--nodekey", "."], "--nodekey .: it is a folder"],
    [["--nodekey", "SHORT"], "short.key: a private key of 64 hex digits is expected"],
    [
      ["--nodekey", "f", "--nodekeyhex", "0".repeat(64)],
      "--nodekey and --nodekeyhex cannot be given together",
    ],
  ])("%j stop the program with one line that names them", async (flags, text) => {
    const args = flags.map((word) => (word === "SHORT" ? join(folder, "short.key") : word));
    const { code, stdout, stderr } = await runKairn(["node", "--datadir", folder, ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^kairn: [^\n]+\n$/);
    expect(stderr).toContain(text);
  });

  it("--discover-types that a node of its type cannot have stop it", async () => {
    const { code, stderr } = await runNode("--nodetype", "cn", "--discover-types", "en");
    expect(code).toBe(2);
    expect(lastLine(stderr)).toBe("kairn: --discover-types en: a node of type cn looks for cn only");
  });

  it("a --port in use stops it, and is named", async () => {
    const { code, stderr } = await runNode("--port", String(takenPort));
    expect(code).toBe(1);
    expect(lastLine(stderr)).toBe(`kairn: --port ${takenPort}: the TCP port is in use on 127.0.0.1`);
  });
});

describe("lists of nodes", () => {
  it("skip invalid URLs, which are logged with file and entry", async () => {
    const file = join(folder, "klay", "static-nodes.json");
    mkdirSync(join(folder, "klay"), { recursive: true });
    writeFileSync(file, JSON.stringify([`kni://${ID}@127.0.0.1:1`, "kni://broken@1.2.3.4:5"]));
    const flags = ["--port", "0", "--bootnodes", `http://x,${BOOTNODE}`, "--verbosity", "2"];
    const node = await startPrivateNode(folder, ...flags);
    node.child.kill("SIGINT");
    expect(await node.exited).toBe(0);
    rmSync(file);
    const told = node.printed.stderr
      .split("\n")
      .filter((line) => line.includes("an invalid node URL was ignored"));
    expect(told).toHaveLength(2);
    expect(told[0]).toMatch(/--bootnodes.*0.*http:\/\/x.*invalid URL scheme/);
    expect(told[1]).toMatch(/static-nodes\.json.*1.*kni:\/\/broken@1\.2\.3\.4:5.*invalid node ID/);
  });

  it.each([
    ["static-nodes.json", "{}", "is not a list of node URLs"],
    ["trusted-nodes.json", "[", "cannot be used: Unexpected end of JSON input"],
  ])("stop the program if %s contains %s", async (name, text, reason) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    const { code, stderr } = await runNode("--port", "0");
    rmSync(file);
    expect(code).toBe(78);
    expect(lastLine(stderr)).toBe(`kairn: ${file} ${reason}`);
  });
});

function runNode(...flags: string[]) {
  return runKairn(["node", "--datadir", folder, "--bootnodes", BOOTNODE, ...flags]);
}

function lastLine(text: string): string | undefined {
  return text.trimEnd().split("\n").at(-1);
}
