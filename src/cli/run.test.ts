import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { InterruptedError } from "../api/console/terminal/keyboard.ts";
import type { OptionSet } from "../platform/config/option.ts";
import { ConfigError } from "../platform/config/types.ts";
import { NodeError } from "../protocol/primitives/errors.ts";
import { type Invocation, UsageError } from "./command.ts";
import { COMMANDS } from "./commands/index.ts";
import { overview } from "./help.ts";
import { kairn, newFolder } from "./testing/kairn.ts";

/** Replaces the implementation of `kairn version`. */
function mockVersionCommand(run: (invocation: Invocation<OptionSet>) => Promise<number>, usage = ""): void {
  const command = { usage, summary: "Does.", options: {}, run };
  vi.spyOn(COMMANDS["version"] as (typeof COMMANDS)[string], "load").mockResolvedValue({
    default: command as never,
  });
}

const failingWith = (error: unknown) => {
  mockVersionCommand(() => Promise.reject(error));
  return kairn(["version"]);
};
const portTaken = Object.assign(new Error("listen EADDRINUSE"), {
  ...{ code: "EADDRINUSE", port: 8551, address: "127.0.0.1" },
});

describe("a command that fails", () => {
  it.each([
    ["DATABASE_DAMAGED", 74],
    ["FILE_KIND", 74],
    ["DATABASE_UNWRITABLE", 73],
    ["NODE_KEY_UNWRITABLE", 73],
    ["DATABASE_FORMAT", 74],
    ["DATABASE_MISSING", 74],
    ["LOG_DAMAGED", 74],
    ["STATE_DAMAGED", 74],
    ["CHAIN_DAMAGED", 74],
    ["LEASE_HELD", 75],
    ["LOG_FENCED", 75],
    ["DIVERGED", 75],
    ["LOG_UNREACHABLE", 75],
    ["BAD_RECORD", 75],
    ["EXPOSED", 78],
    ["CERTIFICATE", 78],
    ["GENESIS_MISMATCH", 78],
    ["KEY_FOLDER", 78],
    ["LOG_OTHER_CHAIN", 78],
    ["MNEMONIC", 2],
    ["OPTION", 2],
    ["DISCOVERY_TYPES", 2],
    ["BAD_BLOCK", 1],
  ])("with %s exits with code %i", async (code, exit) => {
    expect((await failingWith(new NodeError(code, "why"))).code).toBe(exit);
  });

  it.each([
    [new NodeError("X", "why"), 1, "why"],
    [new NodeError("MNEMONIC", "bad word"), 2, "--mnemonic: bad word"],
    [new NodeError("GENESIS_MISSING", "no genesis"), 1, "no genesis; kairn init GENESIS.json creates one"],
    [new NodeError("GENESIS_MISMATCH", "another"), 78, "another; use the options the chain was created with"],
    [new ConfigError("CONFIG_VALUE", "a value"), 2, "a value"],
    [new UsageError("usage: kairn"), 2, "usage: kairn"],
    [new InterruptedError("interrupted"), 130, "interrupted"],
    [portTaken, 1, "port 8551 of 127.0.0.1 is in use; choose another with --rpcport"],
    [Object.assign(new Error("gone"), { code: "ENOENT" }), 1, "gone\n"],
    ["a text", 1, "a text\n"],
  ])("with %s prints one line", async (error, exit, text) => {
    const { code, stdout, stderr } = await failingWith(error);
    expect({ code, stdout }).toEqual({ code: exit, stdout: "" });
    expect(stderr).toMatch(/^kairn: [^\n]+\n$/);
    expect(stderr).toContain(`kairn: ${text}`);
  });

  it("with an unexpected error prints its stack, without terminal control sequences", async () => {
    const { stderr } = await failingWith(new TypeError("odd \u001b[2J"));
    expect(stderr).toContain("TypeError: odd \\u001b[2J");
    expect(stderr).toContain("run.test.ts");
  });
});

describe("the arguments of kairn", () => {
  it.each([[[]], [["help"]], [["--help"]], [["-h"]]])("%j show all commands", async (args) => {
    expect(await kairn(args)).toEqual({ code: 0, stdout: overview(), stderr: "" });
  });

  it("name a command, or ask for its help in three ways", async () => {
    const version = await kairn(["version"]);
    expect(version).toMatchObject({ code: 0, stderr: "" });
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\S*\n[^\n]+\n$/);
    for (const flag of ["-v", "--version"]) expect(await kairn([flag])).toEqual(version);
    const help = await kairn(["init", "--help"]);
    expect(help.stdout).toContain("Usage: kairn init [GENESIS.json] [flags]");
    expect(await kairn(["help", "init"])).toEqual(help);
    expect(await kairn(["init", "-h"])).toEqual(help);
  });

  it("are rejected if unknown", async () => {
    expect(await kairn(["vresion"])).toEqual({
      ...{ code: 2, stdout: "" },
      stderr: "kairn: unknown command vresion (did you mean version?); see kairn help\n",
    });
    expect((await kairn(["hepl"])).stderr).toContain("did you mean help?");
    expect((await kairn(["version", "more"])).stderr).toBe(
      "kairn: unexpected argument more; see kairn version --help\n",
    );
  });

  it("of `kairn completion` name one known shell", async () => {
    expect((await kairn(["completion", "bsh"])).stderr).toBe(
      "kairn: usage: kairn completion bash | zsh | fish (did you mean bash?)\n",
    );
    expect((await kairn(["completion", "zsh", "fish"])).code).toBe(2);
    expect((await kairn(["completion", "fish"])).stdout).toContain("complete -c kairn ");
  });

  it("are passed to a command, with the source of each value", async () => {
    let got: Invocation<OptionSet> | undefined;
    mockVersionCommand((invocation) => {
      got = invocation;
      return Promise.resolve(7);
    }, "WORD");
    expect((await kairn(["version", "one", "two"], { HERE: "1" })).code).toBe(7);
    expect(got?.positionals).toEqual(["one", "two"]);
    expect(got?.env).toEqual({ HERE: "1" });
    expect(got?.commands).toBe(COMMANDS);
  });
});

describe("a file of settings", () => {
  /** The settings that `kairn config show` attributes to a file. */
  async function shownOf(name: string, text: string) {
    const file = join(newFolder(), name);
    writeFileSync(file, text);
    const { code, stdout, stderr } = await kairn(["config", "show", "--config", file]);
    const rows = stdout.split("\n").filter((row) => row.endsWith("  file"));
    return { code, stderr, rows: rows.map((row) => row.replace(/ +/g, " ")) };
  }

  it("may name options of other commands, but no unknown ones", async () => {
    expect(await shownOf("a.json", '{"rpcport":5,"accounts":3}')).toEqual({
      ...{ code: 0, stderr: "" },
      rows: ["rpcport 5 file"],
    });
    const { code, stderr } = await shownOf("a.json", '{"rpcprot":5}');
    expect(code).toBe(2);
    expect(stderr).toContain("rpcprot");
  });

  it("has no line that sets nothing, such as one of another format, and is not quoted when it does", async () => {
    for (const text of [
      "rpc.rate: 5\n",
      "RPC_PORT=5\n\nNODE_KEY_HEX 0xsecret\n",
      "null",
      '"text"',
      "\0R\0P\0C",
    ]) {
      const { code, stderr } = await shownOf("a.properties", text);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/line [13] is neither JSON nor a setting/)]);
      expect(stderr).not.toContain("secret");
    }
    expect(await shownOf("kend.conf", "RPC_PORT=5\nfi\n")).toMatchObject({
      code: 0,
      rows: ["rpcport 5 file"],
    });
  });

  it("of the reference's scripts is read as by them, and reports settings without effect", async () => {
    expect(await shownOf("kend.conf", "RPC_ENABLE=1\nFOO=1\nRPC_PORT=5\n")).toMatchObject({
      ...{ code: 0, stderr: expect.stringMatching(/^kairn: without effect in .*kend\.conf: FOO\n$/) },
      rows: ["rpc true file", "rpcport 5 file"],
    });
  });
});

it("a flag that only the reference has is accepted, and reported to have no effect", async () => {
  expect(await kairn(["config", "show", "--dbtype", "BadgerDB"])).toMatchObject({
    ...{ code: 0, stderr: "kairn: --dbtype has no effect here\n" },
  });
});
