import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedNode, startNode } from "./started-node.ts";
import { hasTerminal, Terminal } from "./terminal/terminal.ts";
import { token } from "./token.ts";

const program = fileURLToPath(new URL("../../bin/kairn", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "kairn-console-"));
const SECRET = "open sesame";
let node: StartedNode;

beforeAll(async () => {
  node = await startNode("--lightkdf");
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  expect(await node.stop()).toBe(0);
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `kairn` with text for its standard input. */
function kairn(args: readonly string[], input = ""): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

const attach = (...args: string[]) => kairn(["attach", "--datadir", node.dataDir, ...args]);

describe("kairn attach --exec", () => {
  it("prints a value as the Go console does, over IPC, HTTP and WebSocket", async () => {
    expect(await attach("--exec", "eth.accounts[0]")).toEqual({
      code: 0,
      stdout: `"${node.accounts[0]?.address}"\n`,
      stderr: "",
    });
    const { http, ws } = node.endpoints;
    for (const endpoint of [http, ws]) {
      const { stdout } = await kairn(["attach", endpoint, "--exec", "klay.getBalance(eth.accounts[9])"]);
      expect(stdout).toBe("10000000000000000000000\n");
    }
  });

  it("explains a failure on standard error and ends with 1", async () => {
    const { code, stdout, stderr } = await attach("--exec", "eth.getBalance('zz')");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^Error: invalid argument 0: .* \(code -32602\)\n {2}hint: Parameter 1 \(address\)/,
    );
    expect(await attach("--exec", "klay.nosuch")).toMatchObject({ code: 0, stdout: "undefined\n" });
  });

  it("suggests a known name for an unknown one", async () => {
    const hint = async (source: string) => (await attach("--exec", source)).stderr.split("\n")[1];
    expect(await hint("eth.getBalace(eth.accounts[0])")).toBe("  hint: did you mean eth.getBalance?");
    expect(await hint("ehh.accounts")).toBe("  hint: did you mean eth?");
    expect(await hint("eht.accounts")).toBe("  hint: did you mean eth?");
    expect(await hint("eth.qqqqqqqq()")).toBe('  hint: see help("eth").');
  });

  it("suggests a known path for one without a value, beside the value", async () => {
    expect(await attach("--exec", "eth.blockNumbr")).toEqual({
      ...{ code: 0, stdout: "undefined\n", stderr: "  hint: did you mean eth.blockNumber?\n" },
    });
    for (const source of ["({ to: 1 }).from", "var a = { v: undefined }; a.v", "eth.qqqqqqqq"])
      expect(await attach("--exec", source)).toEqual({ code: 0, stdout: "undefined\n", stderr: "" });
  });

  it("names an endpoint without a node", async () => {
    const { code, stderr } = await kairn(["attach", join(folder, "no.ipc")]);
    expect(code).toBe(1);
    expect(stderr).toContain(`cannot reach ${join(folder, "no.ipc")}`);
  });
});

describe("contracts", () => {
  it("are deployed, called and watched by their ABI, in eth and klay", async () => {
    writeFileSync(
      join(folder, "token.js"),
      `var factory = eth.contract(${JSON.stringify(token.abi)});
      var made = factory.new(1000, { from: eth.accounts[0], data: "${token.bytecode}" });
      eth.defaultAccount = eth.accounts[0];
      made.transfer(eth.accounts[1], "30");
      var same = klay.contract(${JSON.stringify(token.abi)}).at(made.address);
      console.log(made.balanceOf(eth.accounts[1]), same.balanceOf(eth.accounts[0]));
      var sent = made.Transfer({ to: eth.accounts[1] }, { fromBlock: "0" }).get();
      console.log(sent.length, sent[0].event, sent[0].args.value);
      console.log(klay.filter({ address: made.address, fromBlock: 0 }).get().length > 0);`,
    );
    const { code, stdout, stderr } = await attach("--jspath", folder, "token.js");
    expect([code, stdout, stderr]).toEqual([0, "30 970\n1 Transfer 30\ntrue\n", ""]);
  });
});

describe("scripts", () => {
  it("call the node synchronously, and share their variables", async () => {
    writeFileSync(
      join(folder, "first.js"),
      "var amount = kaia.toKei('1.5'); function pay(to) {\n  return eth.sendTransaction({ from: eth.accounts[0], to: to, value: amount });\n}",
    );
    writeFileSync(
      join(folder, "second.js"),
      "var before = eth.getBalance(eth.accounts[1]);\nvar hash = pay(eth.accounts[1]);\nwhile " +
        "(eth.getTransactionReceipt(hash) === null) " +
        "admin.sleep(0.02);\nconsole.log(eth.getBalance(eth.accounts[1]).minus(before), loadScript('third.js'));",
    );
    writeFileSync(
      join(folder, "third.js"),
      "console.log('third', eth.getBlock('latest').transactions.length)",
    );
    const { code, stdout } = await attach("--jspath", folder, "--preload", "first.js", "second.js");
    expect([code, stdout]).toEqual([0, "third 1\n1500000000000000000 true\n"]);
  });

  it("report the location of an error and exit with 1", async () => {
    writeFileSync(join(folder, "bad.js"), "var x = 1;\nnosuch();");
    const { code, stderr } = await attach(join(folder, "bad.js"));
    expect(code).toBe(1);
    expect(stderr).toContain(`ReferenceError: nosuch is not defined\n  at ${join(folder, "bad.js")}:2:1`);
  });

  it("are read line by line from a pipe, secrets included", async () => {
    const input = `function f(x) {\n return x * 2\n}\nf(21)\npersonal.newAccount()\n${SECRET}\n${SECRET}\nnet.version`;
    const { code, stdout } = await kairn(["attach", "--datadir", node.dataDir], input);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^undefined\n42\nPassphrase: Repeat passphrase: "0x[0-9a-f]{40}"\n"1337"\n$/);
  });
});

describe("kairn console", () => {
  it("runs a node in its process", async () => {
    const ports = ["--rpcport", "0", "--wsport", "0"];
    const args = ["console", "--dev", "--datadir", join(folder, "data"), ...ports];
    const send = "eth.sendTransaction({ from: eth.accounts[0], to: eth.accounts[1], value: 1 })";
    const { code, stdout } = await kairn(args, `${send}\nadmin.sleep(1)\nexit\n`);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^"0x[0-9a-f]{64}"\nundefined\n$/);
    expect((await kairn([...args, "--exec", "eth.blockNumber"])).stdout).toBe("1\n");
  });
});

if (!hasTerminal) console.warn("kairn: the console is NOT tested in a terminal: python3 with pty is missing");

describe.skipIf(!hasTerminal)("in a terminal", () => {
  let terminal: Terminal;
  const history = () => readFileSync(join(node.dataDir, "history"), "utf8");

  beforeAll(async () => {
    terminal = new Terminal("attach", "--datadir", node.dataDir);
    const banner = await terminal.expect(/\n> $/);
    expect(banner).toContain("Welcome to the kairn JavaScript console!");
    expect(banner).toMatch(/modules: .*eth:1\.0 .*kaia:1\.0 .*personal:1\.0/);
  });
  afterAll(() => terminal[Symbol.asyncDispose]());

  it.each([
    ["eth.blockNumber", /^\d+$/],
    ["kaia.getBlock(0).number", /^0$/],
    ["klay.accountCreated(eth.accounts[0])", /^true$/],
    ["net.listening", /^(true|false)$/],
    ["net.peerCountByType()", /total: 0/],
    ["personal.listWallets[0].status", /^"/],
    ["rpc.modules.eth", /^"1\.0"$/],
    ["txpool.status", /^\{\n {2}pending: 0,\n {2}queued: 0\n\}$/],
    ["txpool.inspect", /^\{\n {2}pending: \{\},\n {2}queued: \{\}\n\}$/],
    ["web3.clientVersion()", /kairn\/v/],
    ["debug.setGCPercent(100)", /^-?\d+$/],
    ["eth.blockNumber()", /^\d+$/],
    ["klay.fromPeb(1)", /^"0\.000000000000000001"$/],
    ["help eth.getBalance", /^eth\.getBalance\(address, \[block\]\)\nBalance of an account/],
    ["nosuch", /^ReferenceError: nosuch is not defined$/],
    ["klay.nosuch()", /^TypeError: klay\.nosuch is not a function\n {2}hint:/],
    ["eth.getBalance()", /^Error: missing argument address: /],
    ["throw new Error('x')", /^Error: x$/],
    ["await Promise.resolve(eth.chainId())", /^1337$/],
  ])("%s", async (line, printed) => expect(await terminal.run(line)).toMatch(printed));

  it("asks for passphrases without echo, twice for a new one", async () => {
    terminal.type("var a = personal.newAccount()\r");
    await terminal.expect("\nPassphrase: ");
    terminal.type(`${SECRET}X\u007f\r`);
    await terminal.expect("\nRepeat passphrase: ");
    terminal.type(`${SECRET}\r`);
    await terminal.expect("undefined\n> ");
    const address = JSON.parse(await terminal.run("a")) as string;
    terminal.type("personal.unlockAccount(a, null, 60)\r");
    await terminal.expect(`Unlock account ${address}\nPassphrase: `);
    terminal.type(`${SECRET}\r`);
    await terminal.expect("true\n> ");
    expect(terminal.screen).not.toContain(SECRET);
  });

  it("rejects two different entries, and continues", async () => {
    terminal.type("personal.newAccount()\r");
    await terminal.expect("\nPassphrase: ");
    terminal.type("one\r");
    await terminal.expect("\nRepeat passphrase: ");
    terminal.type("two\r");
    await terminal.expect("Error: passwords don't match!\n> ");
    expect(await terminal.run("1 + 1")).toBe("2");
  });

  it("keeps secrets out of the history, which only its owner can read", async () => {
    expect(await terminal.run(`personal.newAccount("${SECRET}")`)).toMatch(/^"0x/);
    terminal.type(`personal.newAccount(\r`);
    await terminal.expect("... ");
    terminal.type(`"${SECRET}")\r`);
    await terminal.expect(/"0x[0-9a-f]{40}"\n> $/);
    expect(history()).toContain("eth.blockNumber\n");
    expect(history()).not.toContain(SECRET);
    expect(statSync(join(node.dataDir, "history")).mode & 0o777).toBe(0o600);
  });

  it("continues incomplete input, and recalls lines", async () => {
    terminal.type("function twice(x) {\r");
    await terminal.expect("... ");
    terminal.type("return x +\r");
    await terminal.expect("... ");
    terminal.type("x }\r");
    await terminal.expect("undefined\n> ");
    expect(await terminal.run("twice(21)")).toBe("42");
    terminal.type("\u001b[A");
    await terminal.expect("twice(21)");
    terminal.type("\r");
    await terminal.expect("42\n> ");
  });

  it("completes names, and lists several candidates", async () => {
    terminal.type("txpool.st\t");
    await terminal.expect("txpool.status");
    terminal.type("\r");
    await terminal.expect(/queued: \d+\n\}\n> $/);
    terminal.type("klay.getBlockT\t");
    await terminal.expect("klay.getBlockTransactionCount");
    terminal.type("\t");
    await terminal.expect("klay.getBlockTransactionCountByHash");
    await terminal.expect("klay.getBlockTransactionCountByNumber");
    terminal.type("\u0003");
    await terminal.expect(/\n> $/);
  });

  it.each([
    ["a wait", "admin.sleep(600)"],
    ["a loop", "while (true) {}"],
    ["a loop of calls", "while (true) eth.blockNumber"],
    ["a promise", "await new Promise(function () {})"],
  ])("stops %s with Ctrl-C, and keeps the variables", async (_, line) => {
    await terminal.run("var kept = 7");
    terminal.type(`${line}\r`);
    await terminal.expect(`${line}\n`);
    terminal.type("\u0003");
    await terminal.expect("Error: interrupted\n> ");
    expect(await terminal.run("kept")).toBe("7");
  });

  it("discards an unfinished line with Ctrl-C, and quits with Ctrl-D", async () => {
    terminal.type("function half(\r");
    await terminal.expect("... ");
    terminal.type("\u0003");
    await terminal.expect(/\n> $/);
    expect(await terminal.run("'still here'")).toBe('"still here"');
    terminal.type("\u0004");
    expect(await terminal.exit).toBe(0);
  });

  it("keeps the history across consoles, and quits with exit", async () => {
    await using next = new Terminal("attach", "--datadir", node.dataDir);
    await next.expect(/\n> $/);
    next.type("\u001b[A");
    await next.expect("'still here'");
    next.type("\u0003");
    await next.expect(/\n> $/);
    next.type("exit\r");
    expect(await next.exit).toBe(0);
  });
});
