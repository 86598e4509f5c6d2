import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { kairn, newFolder } from "../testing/kairn.ts";
// preloaded, so that no test waits for it
import "./account.ts";

const KEY = "4646464646464646464646464646464646464646464646464646464646464646";
const ADDRESS = "9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f";

function scene() {
  const folder = newFolder();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  /** The first line of the passphrases unlocks, the last one encrypts. */
  const account = (passphrases: string, ...args: string[]) =>
    kairn(["account", ...args, "--datadir", folder, "--lightkdf", "--password", file("words", passphrases)]);
  return { folder, file, account };
}

it("creates accounts that only their owner can read, and lists them by number", async () => {
  const { folder, account } = scene();
  expect(await account("", "list")).toEqual({ code: 0, stdout: "", stderr: "" });
  const made = await account("secret\n", "new");
  expect(made.stdout).toMatch(/^Address: \{[0-9a-f]{40}\}\n$/);
  const [name] = readdirSync(join(folder, "keystore")) as [string];
  const path = join(folder, "keystore", name);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, "utf8")).toContain('"n":4096');
  expect((await account("", "list")).stdout).toBe(
    `Account #0: {${made.stdout.slice(10, 50)}} keystore://${path}\n`,
  );
  const elsewhere = await kairn(["account", "list", "--keystore", join(folder, "keystore")]);
  expect(elsewhere.stdout).toContain("Account #0: ");
});

it.each([KEY, `0x${KEY}\n`])("imports a private key written as %s once, and no other text", async (text) => {
  const { file, account } = scene();
  const key = file("key", text);
  expect(await account("secret", "import", key)).toEqual({
    ...{ code: 0, stderr: "", stdout: `Address: {${ADDRESS}}\n` },
  });
  expect((await account("secret", "import", key)).code).toBe(1);
  for (const wrong of [KEY.slice(1), `${KEY}0`, "0x", "{}"]) {
    const { code, stderr } = await account("secret", "import", file("wrong", wrong));
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/^kairn: [^\n]*wrong: [^\n]+\n$/);
  }
});

it("changes a passphrase, and exports under another to a new file that others cannot read", async () => {
  const { folder, file, account } = scene();
  await account("old", "import", file("key", KEY));
  expect(await account("old\nnew\n", "update", ADDRESS)).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await account("old\nnewer", "update", "0")).code).toBe(1);
  const copy = join(folder, "copy.json");
  expect(await account("new\r\nlast", "export", `0x${ADDRESS}`, copy)).toEqual({
    ...{ code: 0, stderr: "", stdout: `written to ${copy}\n` },
  });
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(copy, "utf8"))).toMatchObject({ address: ADDRESS, version: 4 });
  const older = join(folder, "older.json");
  await account("new\nlast", "export", "0", older, "--key-version", "3");
  expect(JSON.parse(readFileSync(older, "utf8"))).toMatchObject({ version: 3 });
  expect((await account("last\nagain", "import", older)).stderr).toContain("exist");
  const other = scene();
  expect((await other.account("last\nagain", "import", older)).stdout).toBe(`Address: {${ADDRESS}}\n`);
  expect((await other.account("again\nx", "update", "0")).code).toBe(0);
});

it("reports errors before it prompts for a passphrase", async () => {
  const { folder, account } = scene();
  const taken = join(folder, "words");
  const unknown = "11".repeat(20);
  for (const [args, text] of [
    [["export", ADDRESS, taken], `${taken} exists already: account export writes a new file`],
    [["export", "0", join(folder, "none", "x")], `there is no folder for ${join(folder, "none", "x")}`],
    [["export", "0", join(folder, "x")], "account export: no account 0"],
    [["update", "0"], "account update: no account 0"],
    [["lst"], "(did you mean list?)"],
    [["import"], "usage: kairn account import KEYFILE\n"],
    [["new", "more"], "usage: kairn account new\n"],
    [[], "usage: kairn account list | new | import KEYFILE | update ACCOUNT | export ACCOUNT FILE\n"],
  ] as const) {
    const { code, stdout, stderr } = await account("secret", ...args);
    expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: "" });
    expect(stderr).toContain(text);
  }
  expect((await account("secret", "update", unknown)).code).toBe(1);
  expect((await kairn(["account", "new", "--password", join(folder, "none")])).stderr).toContain(
    "--password: ENOENT",
  );
});
