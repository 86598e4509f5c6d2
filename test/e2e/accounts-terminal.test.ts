import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runKairn } from "./kairn-process.ts";
import { temporaryFolder } from "./started-node.ts";
import { hasTerminal, Terminal } from "./terminal/terminal.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});
const account = (...args: string[]) => new Terminal("account", ...args, "--datadir", folder, "--lightkdf");

describe.runIf(hasTerminal)("passphrases typed in a terminal", () => {
  it("are prompted for twice if new, and never shown", async () => {
    await using made = account("new");
    await made.expect("New passphrase: ");
    made.type("hunter-two\r");
    await made.expect("Repeat passphrase: ");
    made.type("hunter-two\r");
    await made.expect(/Address: \{[0-9a-f]{40}\}/);
    expect(await made.exit).toBe(0);
    expect(made.screen).not.toContain("hunter");

    await using changed = account("update", "0");
    await changed.expect("Passphrase: ");
    changed.type("hunter-two\r");
    await changed.expect("New passphrase: ");
    changed.type("hunter-three\r");
    await changed.expect("Repeat passphrase: ");
    changed.type("hunter-three\r");
    expect(await changed.exit).toBe(0);
    expect(changed.screen).not.toContain("hunter");
  });

  it("are cancelled by Ctrl-C, with exit code 130", async () => {
    await using made = account("new");
    await made.expect("New passphrase: ");
    made.type("\u0003");
    expect(await made.exit).toBe(130);
    expect(made.screen.trimEnd().split(/\r?\n/).slice(1)).toEqual(["kairn: interrupted"]);
  });

  it("are rejected if the two entries differ, and no file is created", async () => {
    await using made = account("new");
    await made.expect("New passphrase: ");
    made.type("one\r");
    await made.expect("Repeat passphrase: ");
    made.type("two\r");
    await made.expect("passphrases do not match");
    expect(await made.exit).toBe(2);
    expect((await runKairn(["account", "list", "--datadir", folder])).stdout).toBe("");
  });

  it("are prompted for in the order old, new when a key file is imported", async () => {
    await runKairn(["account", "new", "--datadir", folder, "--lightkdf"], { input: "old\n" });
    const copy = join(folder, "copy.json");
    const { code } = await runKairn(["account", "export", "0", copy, "--datadir", folder, "--lightkdf"], {
      input: "old\ncopied\n",
    });
    expect(code).toBe(0);
    await using taken = account("import", copy, "--keystore", join(folder, "other"));
    for (const [question, passphrase] of [
      ["Passphrase: ", "copied"],
      ["New passphrase: ", "new"],
      ["Repeat passphrase: ", "new"],
    ] as const) {
      await taken.expect(question);
      taken.type(`${passphrase}\r`);
    }
    await taken.expect(/Address: \{[0-9a-f]{40}\}/);
    expect(await taken.exit).toBe(0);
  });

  it("are not prompted for if something else is wrong", async () => {
    const file = join(folder, "key");
    writeFileSync(file, "{}");
    const nobody = "0x00000000000000000000000000000000000000aa";
    for (const [args, message] of [
      [["import", file], "undefined type of version"],
      [["update", nobody], "no key for given address or file"],
      [["export", nobody, join(folder, "out")], "no key for given address or file"],
      [["export", nobody, join(folder, "nowhere", "out")], "there is no folder for"],
    ] as const) {
      const { code, stderr } = await runKairn(["account", ...args, "--datadir", folder]);
      expect(code).not.toBe(0);
      expect(stderr).toContain(message);
      expect(stderr).not.toContain("assphrase: ");
    }
  });

  it("abort the command with Ctrl-C", async () => {
    await using made = account("new");
    await made.expect("New passphrase: ");
    made.type("one\u0003");
    expect(await made.exit).not.toBe(0);
  });
});

describe("the list of accounts", () => {
  it("reports skipped key files, and a keystore that cannot be read", async () => {
    await runKairn(["account", "new", "--datadir", folder, "--lightkdf"], { input: "a\n" });
    const broken = join(folder, "keystore", "UTC--2024-01-01T00-00-00.000000000Z--broken");
    writeFileSync(broken, "{", { mode: 0o600 });
    const listed = await runKairn(["account", "list", "--datadir", folder]);
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Account #0: .*\n$/) });
    expect(listed.stderr).toContain("ignored a file in the keystore");
    expect(await runKairn(["account", "list", "--keystore", broken])).toMatchObject({
      code: 78,
      stdout: "",
      stderr: expect.stringMatching(/^kairn: could not read the keystore .*: ENOTDIR/m),
    });
  });
});

describe("unlocking at start", () => {
  const node = (...flags: string[]) => ["node", "--datadir", folder, "--ipcdisable", ...flags];

  it("prompts for the passphrase, and stops the node if it is wrong", async () => {
    await runKairn(["init", "--mainnet", "--datadir", folder]);
    await runKairn(["account", "new", "--datadir", folder, "--lightkdf"], { input: "right\n" });
    const wrong = await runKairn(node("--unlock", "0"), { input: "wrong\n" });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(
      /^Passphrase to unlock 0: [\s\S]*kairn: --unlock 0: could not decrypt key with given passphrase\n$/,
    );
  });

  it("is refused if other machines can reach the node", async () => {
    const refused = await runKairn(node("--rpc", "--rpcaddr", "0.0.0.0", "--unlock", "0"));
    expect(refused).toMatchObject({
      code: 78,
      stderr:
        "kairn: --unlock: account unlock with HTTP access is forbidden: 0.0.0.0 is open to other machines (--allow-insecure-unlock permits it)\n",
    });
  });
});
