import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { hexToBytes } from "../../protocol/primitives/hex.ts";
import { readSource } from "./artifact-files.ts";
import { ArtifactLibrary } from "./artifact-library.ts";

const CODE = `60016002${"00".repeat(60)}`;
const artifact = (name: string, code = CODE) => ({
  ...{ contractName: name, sourceName: `contracts/${name}.sol` },
  abi: [{ type: "function", name: "go", inputs: [{ name: "to", type: "address" }] }],
  ...{ bytecode: `0x${code}`, deployedBytecode: `0x${code}` },
});

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), "kairn-artifacts-"));
  folders.push(folder);
  for (const [name, value] of Object.entries(files))
    writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
  return folder;
}

function libraryOf(folder: string) {
  const refused: string[] = [];
  let time = 0;
  const library = new ArtifactLibrary({
    folders: [folder],
    pace: { isDue: () => false, yield: async () => {} },
    now: () => time,
    onRefused: (path) => refused.push(path.slice(folder.length + 1)),
  });
  const refresh = () => {
    time += 1000;
    return library.refresh();
  };
  const nameOf = (code = CODE) => library.contracts.withCode(hexToBytes(`0x${code}`))?.name;
  return { library, refused, refresh, nameOf };
}

describe("artifacts of a folder", () => {
  it("are found by code, init code and selector", async () => {
    const { library, refresh, nameOf } = libraryOf(folderWith({ "Token.json": artifact("Token") }));
    await refresh();
    expect(nameOf()).toBe("Token");
    expect(library.contracts.withInitCode(hexToBytes(`0x${CODE}abcd`))?.name).toBe("Token");
    expect(nameOf(`ff${CODE.slice(2)}`)).toBeUndefined();
    expect(library.contracts.function("0x7a7ebd7b")).toBeUndefined();
    expect([
      ...(library.contracts.withCode(hexToBytes(`0x${CODE}`))?.abi.functions.values() ?? []),
    ]).toMatchObject([{ name: "go" }]);
  });

  it("are read in slices, up to a limit of items", async () => {
    const abi = Array.from({ length: 2000 }, (_, i) => ({ type: "error", name: `e${i}` }));
    const contracts = Object.fromEntries(Array.from({ length: 151 }, (_, i) => [`C${i}`, { abi }]));
    let turns = 0;
    const library = new ArtifactLibrary({
      folders: [folderWith({ "build.json": { output: { contracts: { "a.sol": contracts } } } })],
      pace: { isDue: () => true, yield: async () => void turns++ },
      now: () => 0,
    });
    await library.refresh();
    expect(library.contracts.count).toBe(150);
    expect(turns).toBeGreaterThanOrEqual(150);
  });

  it("are updated when files change, appear and disappear", async () => {
    const folder = folderWith({ "Token.json": artifact("Token") });
    const { refresh, nameOf } = libraryOf(folder);
    await refresh();
    writeFileSync(join(folder, "Token.json"), JSON.stringify(artifact("Other")));
    utimesSync(join(folder, "Token.json"), 5, 5);
    await refresh();
    expect(nameOf()).toBe("Other");
    rmSync(join(folder, "Token.json"));
    await refresh();
    expect(nameOf()).toBeUndefined();
  });

  it("that are invalid or hostile do not affect the others", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const strange = {
      abi: [null, 1, { type: "function", name: 5 }, { type: "event", name: "E", inputs: "x" }],
    };
    const folder = folderWith({
      ...{ "a.json": deep, "b.json": "{", "c.json": "null", "d.json": strange, "e.txt": artifact("Text") },
      "f.json": { contracts: { a: null, b: { c: 5, d: { abi: [], evm: { bytecode: { object: {} } } } } } },
      "g.json": '{"__proto__": {"abi": []}, "abi": [], "contractName": "P"}',
      "z.json": artifact("Token"),
    });
    symlinkSync(folder, join(folder, "loop"));
    symlinkSync("/dev/zero", join(folder, "zero.json"));
    const { refresh, refused, nameOf, library } = libraryOf(folder);
    await refresh();
    expect(refused).toEqual(["a.json", "b.json"]);
    expect(nameOf()).toBe("Token");
    expect(library.contracts.count).toBe(4);
    expect(Object.prototype).not.toHaveProperty("abi");
  });

  it("of a missing folder are empty", async () => {
    const { refresh, library } = libraryOf("/nowhere/at/all");
    await refresh();
    expect(library.contracts.count).toBe(0);
  });
});

describe("sources", () => {
  it("are read only inside the project", () => {
    const outside = folderWith({ "secret.sol": "secret" });
    const root = folderWith({ "a.sol": "contract A {}", "key.json": "{}" });
    symlinkSync(join(outside, "secret.sol"), join(root, "link.sol"));
    mkdirSync(join(root, "b.sol"));
    execFileSync("mkfifo", [join(root, "pipe.sol")]);
    expect(readSource([root], "a.sol")?.length).toBe(13);
    for (const name of [
      `../${outside.split("/").at(-1)}/secret.sol`,
      "link.sol",
      "key.json",
      "none.sol",
      "b.sol",
      "pipe.sol",
    ])
      expect(readSource([root], name)).toBeUndefined();
  });
});
