import { rmSync } from "node:fs";
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
  it("are asked for twice when they are new, and never shown", async () => {
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

  it("are refused when the two differ, and nothing is made", async () => {
    await using made = account("new");
    await made.expect("New passphrase: ");
    made.type("one\r");
    await made.expect("Repeat passphrase: ");
    made.type("two\r");
    await made.expect("passphrases do not match");
    expect(await made.exit).toBe(2);
    expect((await runKairn(["account", "list", "--datadir", folder])).stdout).toBe("");
  });

  it("end the command with Ctrl-C", async () => {
    await using made = account("new");
    await made.expect("New passphrase: ");
    made.type("one\u0003");
    expect(await made.exit).not.toBe(0);
  });
});

describe("unlocking at start", () => {
  const node = (...flags: string[]) => ["node", "--datadir", folder, "--ipcdisable", ...flags];

  it("asks for the passphrase, and ends the node when it is wrong", async () => {
    await runKairn(["init", "--mainnet", "--datadir", folder]);
    await runKairn(["account", "new", "--datadir", folder, "--lightkdf"], { input: "right\n" });
    const wrong = await runKairn(node("--unlock", "0"), { input: "wrong\n" });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(
      /^Passphrase to unlock 0: kairn: --unlock 0: could not decrypt key with given passphrase\n$/m,
    );
  });

  it("is refused where other machines reach the node", async () => {
    const refused = await runKairn(node("--rpc", "--rpcaddr", "0.0.0.0", "--unlock", "0"));
    expect(refused).toMatchObject({
      code: 2,
      stderr:
        "kairn: --unlock: account unlock with HTTP access is forbidden: 0.0.0.0 is open to other machines (--allow-insecure-unlock permits it)\n",
    });
  });
});
