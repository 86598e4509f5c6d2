import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runKairn } from "./kairn-process.ts";
import { type StartedNode, startNode, startNodeIn, temporaryFolder } from "./started-node.ts";

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe("mistakes", () => {
  it.each([
    [["dve"], "unknown command dve (did you mean dev?); see kairn help"],
    [["dev", "--rpcprt", "1"], "unknown flag --rpcprt (did you mean --rpcport?)"],
    [["dev", "--rpcport", "99999"], '--rpcport: "99999" is not a whole number from 0 to 65535'],
    [["dev", "--rpcport"], "--rpcport needs a value"],
    [
      ["node", "--netrestrict", "10.0.0.0"],
      '--netrestrict: "10.0.0.0" is not a list of networks like 10.0.0.0/8',
    ],
    [["node", "--nodetype", "xn"], '--nodetype: "xn" is not'],
    [["dev", "--block-time", "soon"], '--block-time: "soon" is not a time such as 90s, 5m or 1h30m'],
    [["dev", "--block-time", "0"], '--block-time: "0" is not a time from 1ms to 24 days'],
    [["dev", "--rpcapi", "eth,persona"], "there is none called persona (did you mean personal?)"],
    [["dev", "--derivation-path", "m/x"], "m/44'/60'/0'/0/: invalid component: x"],
    [["dev", "--ephemeral", "--mnemonic", "one two"], "--mnemonic: invalid mnemonic: "],
    [
      ["dev", "--ephemeral", "--rpcport", "0", "--wsport", "0", "--ipcpath", `/tmp/${"x".repeat(120)}`],
      "bytes, the path of a socket at most",
    ],
    [["node", "--mainnet", "--testnet"], "--mainnet and --testnet cannot be given together"],
    [["dev", "more"], "unexpected argument more; see kairn dev --help"],
    [["account", "lst"], "(did you mean list?)"],
    [["account", "new", "--password", "nowhere"], "--password: ENOENT"],
    [["config", "show", "--config", "nowhere.json"], "cannot read config file nowhere.json: "],
    [["completion", "bsh"], "usage: kairn completion bash | zsh | fish (did you mean bash?)"],
    [["trace", "0x12"], "usage: kairn trace HASH"],
    [
      ["account", "frobnicate"],
      "usage: kairn account list | new | import KEYFILE | update ACCOUNT | export ACCOUNT FILE",
    ],
  ])("kairn %j prints one line, with exit code 2", async (args, text) => {
    const { code, stdout, stderr } = await runKairn(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^kairn: [^\n]+\n$/);
    expect(stderr).toContain(text);
  });

  it.each([
    [["node", "--datadir", "/nonexistent/kairn"], "there is no chain in /nonexistent/kairn/chaindata"],
    [["attach", "/nonexistent/klay.ipc"], "cannot reach /nonexistent/klay.ipc"],
    [["attach", "/nonexistent/klay.ipc"], "no node is reachable there: kairn dev starts one"],
    [["attach", "--datadir", "/nonexistent"], "no node runs on /nonexistent: kairn dev starts one,"],
    [["init", "nowhere.json"], "no such file or directory"],
  ])("kairn %j fails in one line, with exit code 1", async (args, text) => {
    const { code, stderr } = await runKairn(args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^kairn: [^\n]+\n$/);
    expect(stderr).toContain(text);
  });
});

describe("help", () => {
  it("lists the commands, and the flags of each", async () => {
    const { stdout, code } = await runKairn(["help"]);
    expect(code).toBe(0);
    for (const name of [
      "dev",
      "node",
      "init",
      "account",
      "import",
      "export",
      "attach",
      "config",
      "version",
    ]) {
      expect(stdout).toMatch(new RegExp(`^  ${name} +[A-Z]`, "m"));
    }
    expect((await runKairn(["dev", "--help"])).stdout).toContain("--block-time TIME");
    expect((await runKairn(["help", "init"])).stdout).toContain("Usage: kairn init");
  });

  it("prints its version", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect((await runKairn(["version"])).stdout.split("\n")[0]).toBe(version);
  });
});

describe("settings", () => {
  /** Flag, value and source of what was set. */
  async function shown(args: string[], env: Record<string, string> = {}): Promise<string[]> {
    const { stdout, stderr } = await runKairn(["config", "show", ...args], { env });
    expect(stderr).toBe("");
    const rows = stdout.trimEnd().split("\n");
    return rows.filter((row) => !row.endsWith("default")).map((row) => row.replace(/ +/g, " "));
  }

  it("come from flags before the environment, a file and defaults", async () => {
    const file = join(folder, "settings.json");
    writeFileSync(file, JSON.stringify({ rpcport: 5, RPC_API: "eth,net", wsport: 6 }));
    const env = { RPC_PORT: "7", RPC_ENABLE: "1", WS_PORT: "8" };
    expect(await shown(["--config", file, "--wsport", "9"], env)).toEqual([
      "rpc true environment",
      "rpcport 7 environment",
      "rpcapi eth,net file",
      "wsport 9 flag",
    ]);
  });

  it("are read from a properties file", async () => {
    const file = join(folder, "kend.conf");
    writeFileSync(file, "RPC_ENABLE=1\n# which modules\nRPC_API=eth,kaia\nWS_ENABLE=0\n");
    expect(await shown(["--config", file])).toEqual([
      "rpc true file",
      "rpcapi eth,kaia file",
      "ws false file",
    ]);
  });

  it("are read from a file shared by several commands", async () => {
    const file = join(folder, "shared.json");
    writeFileSync(file, JSON.stringify({ datadir: folder, rpcport: 5, accounts: 3 }));
    const { code, stdout } = await runKairn(["account", "list", "--config", file]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  });

  it("are shown in their canonical form", async () => {
    const { stdout } = await runKairn(["config", "show"]);
    expect(stdout).toMatch(/^txpool.lifetime +5m +default$/m);
    expect((await runKairn(["dev", "--help"])).stdout).toMatch(/Balance of each funded account. \[10000\]$/m);
  });

  it.each(["[1]", '{"rpcport":null}', '{"rpcport":{}}'])("refuse a file of %s", async (text) => {
    const file = join(folder, "form.json");
    writeFileSync(file, text);
    const { code, stderr } = await runKairn(["config", "show", "--config", file]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^kairn: config file [^\n]+\n$/);
  });

  it("refuse an unknown name in a file", async () => {
    const file = join(folder, "typo.json");
    writeFileSync(file, JSON.stringify({ rpcprot: 5 }));
    const { code, stderr } = await runKairn(["config", "show", "--config", file]);
    expect(code).toBe(2);
    expect(stderr).toContain(`unknown setting rpcprot in the config file ${file} (did you mean rpcport?)`);
  });
});

describe("beside a running node", () => {
  let node: StartedNode;
  const settings = () => join(folder, "node.json");
  beforeAll(async () => {
    node = await startNode("--config-out", settings());
  });
  afterAll(async () => {
    expect(await node.stop()).toBe(0);
  });

  it("--config-out holds what --json prints", () => {
    expect(readFileSync(settings(), "utf8")).toBe(node.printed.stdout);
    expect(node.accounts).toHaveLength(10);
  });

  it("a second node on its folder is refused in one line", async () => {
    const refusal = await startNodeIn(node.dataDir).catch((error: Error) => error.message);
    expect(refusal).toMatch(/ended with 1 .*: kairn: the data folder [^\n]+ is used by another process\n$/);
  });

  it("a second node on its port is refused in one line", async () => {
    const port = new URL(node.endpoints.http).port;
    const refusal = await startNode("--rpcport", port).catch((error: Error) => error.message);
    expect(refusal).toMatch(
      /ended with 1 .*: kairn: port [0-9]+ of 127.0.0.1 is in use; choose another [^\n]+\n$/,
    );
  });

  it("serves every existing module over HTTP", async () => {
    const ask = async (endpoint: string) => {
      const { stdout } = await runKairn(["attach", endpoint, "--exec", "rpc.modules()"]);
      return stdout.match(/[a-z0-9]+(?=: )/g) ?? [];
    };
    const named = await ask(node.endpoints.http);
    expect(named).toEqual(expect.arrayContaining(await ask(node.endpoints.ipc)));
    expect(named).toEqual(expect.arrayContaining(["chain", "klay", "kaia", "governance", "istanbul"]));
  });

  it.each(["ipc", "http", "ws"] as const)("attach --exec connects over %s", async (kind) => {
    const { code, stdout } = await runKairn(["attach", node.endpoints[kind], "--exec", "eth.accounts[1]"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `"${node.accounts[1]?.address}"\n` });
  });

  it("attach finds the node by its folder", async () => {
    const { stdout } = await runKairn(["attach", "--datadir", node.dataDir, "--exec", "eth.chainId()"]);
    expect(stdout.trim()).toMatch(/^("0x539"|1337)$/);
  });

  it("attach --exec fails if the expression does", async () => {
    const { code } = await runKairn(["attach", node.endpoints.ipc, "--exec", "nothing.like.this"]);
    expect(code).toBe(1);
  });
});
