import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Finished, runKairn } from "./kairn-process.ts";
import { temporaryFolder } from "./started-node.ts";

const KEY = "0x4646464646464646464646464646464646464646464646464646464646464646";
const ADDRESS = "9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f";

/** Key files of the reference nodes, with their passphrases and keys. */
const vectors = JSON.parse(
  readFileSync(new URL("../fixtures/vectors/keystore/keyfiles.json", import.meta.url), "utf8"),
).cases as readonly { name: string; json: object; password: string; address: string }[];

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** `kairn account …` on the folder; the first line of the password file decrypts, the last one encrypts. */
async function account(passphrases: string, ...args: string[]): Promise<Finished> {
  const file = write("passphrases", passphrases);
  const flags = ["--datadir", folder, "--lightkdf", "--password", file];
  return runKairn(["account", ...args, ...flags]);
}

const keyFiles = () => readdirSync(join(folder, "keystore"));

it("creates an account in an owner-only file, and lists it", async () => {
  const made = await account("secret", "new");
  expect(made).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringMatching(/^Address: \{[0-9a-f]{40}\}\n$/),
  });
  const [name] = keyFiles();
  expect(statSync(join(folder, "keystore", name as string)).mode & 0o777).toBe(0o600);
  const { stdout } = await account("", "list");
  expect(stdout).toBe(
    `Account #0: {${made.stdout.slice(10, 50)}} keystore://${join(folder, "keystore", name as string)}\n`,
  );
});

it("prompts for a passphrase if no file is given", async () => {
  const args = ["account", "new", "--datadir", folder, "--lightkdf"];
  expect(await runKairn(args, { input: "secret\n" })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("New passphrase: "),
  });
});

it("imports a private key as hex, once", async () => {
  const file = write("raw.key", KEY);
  expect((await account("secret", "import", file)).stdout).toBe(`Address: {${ADDRESS}}\n`);
  const again = await account("secret", "import", file);
  expect(again.code).toBe(1);
  expect(again.stderr).toMatch(/^kairn: [^\n]+\n$/);
});

it.each(vectors.filter(({ name }) => /light|role/i.test(name)))(
  "imports the key file $name and exports it unchanged",
  async (vector) => {
    const file = write("vector.json", JSON.stringify(vector.json));
    const taken = await account(`${vector.password}\nnew`, "import", file);
    expect(taken).toMatchObject({ code: 0, stdout: `Address: {${vector.address.slice(2)}}\n` });
    const copy = join(folder, "copy.json");
    expect((await account("new\nlast", "export", vector.address, copy)).code).toBe(0);
    expect(JSON.parse(readFileSync(copy, "utf8"))).toMatchObject({
      address: vector.address.slice(2),
      version: 4,
    });
    expect(await account("new\nlast", "export", vector.address, copy)).toMatchObject({
      code: 2,
      stderr: `kairn: ${copy} exists already: account export writes a new file\n`,
    });
  },
);

it("changes a passphrase, and rejects a wrong one", async () => {
  await account("old", "import", write("raw.key", KEY));
  expect((await account("old\nnew", "update", ADDRESS)).code).toBe(0);
  const wrong = await account("old\nnewer", "update", ADDRESS);
  expect(wrong).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^kairn: [^\n]*passphrase[^\n]*\n$/),
  });
  expect((await account("new\nnewer", "update", `0x${ADDRESS}`)).code).toBe(0);
  expect(keyFiles()).toHaveLength(1);
});
