import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../commands/index.ts";
import { generalOptions } from "../general-options.ts";
import { describedCommands } from "./described-commands.ts";
import { completionScript, SHELLS } from "./shell-scripts.ts";

const commands = await describedCommands(COMMANDS, generalOptions);
const has = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

/** The completions that bash offers for the last word. */
function offered(...words: readonly string[]): readonly string[] {
  const program = `${completionScript("bash", commands)}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kairn; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", program, "bash", "kairn", ...words], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

describe.skipIf(!has("bash"))("completion in bash", () => {
  it("offers the commands", () => {
    expect(offered("")).toEqual([...Object.keys(COMMANDS), "help"]);
    expect(offered("exp")).toEqual(["export"]);
    expect(offered("help", "ex")).toEqual(["export"]);
  });

  it("offers the flags of a command, and the words of a flag", () => {
    expect(offered("dev", "--block-t")).toEqual(["--block-time"]);
    expect(offered("init", "--block-t")).toEqual([]);
    expect(offered("node", "--gcmode", "")).toEqual(["full", "archive"]);
    expect(offered("completion", "--con")).toEqual(["--config"]);
  });

  it("offers files where a path is expected, and nothing for free text", () => {
    expect(offered("dev", "--datadir", "package.j")).toEqual(["package.json"]);
    expect(offered("dev", "--mnemonic", "")).toEqual([]);
  });
});

describe.each(SHELLS)("the script for %s", (shell) => {
  const script = completionScript(shell, commands);

  it("contains every command and flag", () => {
    for (const { name, flags } of commands) {
      expect(script).toContain(name);
      for (const { names } of flags)
        expect(script).toContain(shell === "fish" ? `-l ${names[0]}` : `--${names[0]}`);
    }
  });

  it.skipIf(!has(shell))("is understood by the shell", () => {
    expect(spawnSync(shell, ["-n"], { input: script, encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });
});
