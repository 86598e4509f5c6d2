import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { checkDisk, checkFolder } from "./data-folder.ts";
import { checkMachine, thisMachine } from "./machine.ts";
import { checkPorts } from "./ports.ts";

const GIB = 2 ** 30;
const MACHINE = { nodeVersion: "20.19.0", memory: 8 * GIB, cores: 2, openFiles: 65_536 };
const statesOf = (change: Partial<typeof MACHINE>) =>
  Object.fromEntries(checkMachine({ ...MACHINE, ...change }).map(({ about, state }) => [about, state]));

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "kairn-doctor-"));
  folders.push(folder);
  return folder;
}

const about = (folder: string, name: string, now = Date.now()) =>
  checkFolder(folder, now).find((finding) => finding.about === name);

describe("findings about a machine", () => {
  it("are good on a suitable machine", () => {
    expect(new Set(Object.values(statesOf({})))).toEqual(new Set(["good"]));
    expect(checkMachine(thisMachine()).length).toBeGreaterThan(2);
    if (process.platform === "linux") expect(thisMachine().openFiles).toBeGreaterThan(20);
  });

  it.each([
    ["Node.js", { nodeVersion: "20.18.9" }, "bad"],
    ["Node.js", { nodeVersion: "18.20.0" }, "bad"],
    ["Node.js", { nodeVersion: "22.0.0" }, "good"],
    ["memory", { memory: GIB - 1 }, "bad"],
    ["memory", { memory: GIB }, "doubtful"],
    ["memory", { memory: 4 * GIB }, "good"],
    ["processor", { cores: 1 }, "doubtful"],
    ["open files", { openFiles: 4095 }, "doubtful"],
    ["open files", { openFiles: 4096 }, "good"],
    ["Node.js", { nodeVersion: "21.0.0" }, "good"],
    ["Node.js", { nodeVersion: "19.30.0" }, "bad"],
    ["memory", { memory: 4 * GIB - 1 }, "doubtful"],
    ["open files", { openFiles: undefined as unknown as number }, undefined],
  ])("on %s with %j: %s", (name, change, state) => {
    expect(statesOf(change)[name]).toBe(state);
  });
});

describe("findings about a data folder", () => {
  it("include write access and free space", () => {
    const folder = newFolder();
    expect(about(folder, "data folder")).toEqual({ state: "good", about: "data folder", text: folder });
    const disk = about(folder, "disk");
    const { bavail, bsize } = statfsSync(folder);
    expect(Number.parseFloat(disk?.text ?? "")).toBeCloseTo((bavail * bsize) / GIB, -1);
    const file = join(folder, "file");
    writeFileSync(file, "");
    expect(about(join(file, "x"), "data folder")).toEqual({
      ...{ state: "bad", about: "data folder", text: `${join(file, "x")} cannot be written` },
      advice: `give it to the node's user: chown -R USER ${file}`,
    });
  });

  it.each([
    [GIB - 1, "bad", "1.0 GiB free"],
    [GIB, "doubtful", "1.0 GiB free"],
    [20 * GIB - 1, "doubtful", "20.0 GiB free"],
    [20 * GIB, "good", "20.0 GiB free"],
  ])("on a disk with %d bytes free: %s", (bytes, state, text) => {
    expect(checkDisk({ bavail: bytes, bsize: 1 })).toMatchObject({ state, text });
  });

  it("report keys that others can read, with advice", () => {
    const folder = newFolder();
    mkdirSync(join(folder, "keystore"));
    const key = join(folder, "keystore", "UTC--one");
    writeFileSync(key, "{}", { mode: 0o600 });
    writeFileSync(join(folder, "nodekey"), "00", { mode: 0o600 });
    expect(about(folder, "keys")?.state).toBe("good");
    chmodSync(key, 0o640);
    expect(about(folder, "keys")).toMatchObject({ state: "bad", advice: `chmod -R go-rwx ${key}` });
    chmodSync(join(folder, "nodekey"), 0o604);
    expect(about(folder, "keys")).toMatchObject({
      text: `others can read ${join(folder, "nodekey")} and 1 more`,
      advice: `chmod -R go-rwx ${join(folder, "nodekey")} ${join(folder, "keystore")}`,
    });
  });

  it("do not mention the permissions of keys on Windows", () => {
    vi.spyOn(process, "platform", "get").mockReturnValue("win32");
    const folder = newFolder();
    writeFileSync(join(folder, "nodekey"), "00", { mode: 0o604 });
    expect(about(folder, "keys")).toEqual({
      ...{ state: "good", about: "keys", text: "their permissions are those of the folder" },
    });
  });

  it("report a clock that was set back", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "a"), "");
    utimesSync(join(folder, "a"), 2_000_000_000, 2_000_000_000);
    expect(about(folder, "clock", 2_000_000_030_000)?.state).toBe("good");
    expect(about(folder, "clock", 1_999_999_940_000)?.state).toBe("good");
    expect(about(folder, "clock", 1_999_999_939_999)).toMatchObject({
      text: "2033-05-18T03:32:19.999Z, but the folder was written at 2033-05-18T03:33:20.000Z",
    });
    expect(about(newFolder(), "clock")).toBeUndefined();
    expect(about(folder, "clock", 1_999_999_900_000)).toMatchObject({ state: "bad" });
  });

  it("include where a folder would be created, without creating it", () => {
    const folder = join(newFolder(), "deep", "er");
    expect(about(folder, "data folder")).toMatchObject({
      state: "good",
      text: `${folder}, which the first start creates`,
    });
    expect(about(folder, "keys")).toBeUndefined();
  });
});

describe("findings about a port", () => {
  it("report a port in use, and the flag to choose another", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const wanted = { use: "HTTP", host: "127.0.0.1", flag: "rpcport" };
    expect(await checkPorts([{ ...wanted, port }])).toMatchObject([
      { state: "doubtful", about: `port ${port}`, text: expect.stringContaining("EADDRINUSE") },
    ]);
    await new Promise((resolve) => server.close(resolve));
    expect(await checkPorts([{ ...wanted, port }])).toEqual([
      { state: "good", about: `port ${port}`, text: "free for HTTP" },
    ]);
  });
});
