import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSimulatedRuntime, type SimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { recordDiskSteps } from "../../platform/runtime/testing/disk-steps.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { WalletError } from "../errors.ts";
import { Passphrase } from "../passphrase.ts";
import type { Keystore } from "../wallet.ts";
import type { KeyDeriver } from "./key-derivation.ts";
import { createKeyFolder, type KeyFolder } from "./key-folder.ts";
import { createKeystore } from "./keystore.ts";

const vectors = new URL("../../../test/fixtures/vectors/keystore/files/", import.meta.url).pathname;
const aaa = readFileSync(join(vectors, "keystore", "aaa"));
const START = Date.UTC(2025, 0, 2);
const deriver: KeyDeriver = {
  derive: async ({ bytes }, { salt }) => createHash("sha256").update(bytes).update(salt).digest(),
};

let dir: string;
let runtime: SimulatedRuntime;
const opened: Keystore[] = [];
const logger = { ...silentLogger, warn: vi.fn(), info: vi.fn(), debug: vi.fn() };

function open(real = false): Keystore {
  const keystore = createKeystore({ dir, ...runtime, logger, ...(!real && { deriver }) });
  opened.push(keystore);
  return keystore;
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "kairn-keys-"));
  runtime = createSimulatedRuntime({ startMs: START });
  vi.clearAllMocks();
});
afterEach(async () => {
  for (const keystore of opened.splice(0)) await keystore.close();
  rmSync(dir, { recursive: true });
});

describe("leftovers of an earlier version's crash", () => {
  const draft = (name: string, ageMs: number) => {
    writeFileSync(join(dir, name), aaa);
    const changed = (START - ageMs) / 1000;
    utimesSync(join(dir, name), changed, changed);
  };

  it("are removed at the next start, except for recent drafts", () => {
    draft(".UTC--2024-01-01T00-00-00.000000000Z--aa.tmp4711", 3_600_000);
    draft(".aaa.tmp1", 60_000);
    draft(".bashrc", 3_600_000);
    draft("notes.tmp1", 3_600_000);
    expect(open().accounts().length).toBe(1);
    expect(readdirSync(dir).sort()).toEqual([".aaa.tmp1", ".bashrc", "notes.tmp1"]);
    expect(logger.info.mock.calls[0]?.[1]).toEqual({
      files: [".UTC--2024-01-01T00-00-00.000000000Z--aa.tmp4711"],
    });
  });
});

describe("leftovers of this version's crash", () => {
  it("are removed immediately if their process has ended, and kept while it runs", () => {
    const ended = spawnSync(process.execPath, ["--version"]).pid;
    const names = [`.aaa.tmp${ended}-1`, `.aaa.tmp${process.pid}-1`, `.aaa.tmp${process.ppid}-1`];
    for (const name of names) writeFileSync(join(dir, name), "half");
    expect(open().accounts()).toEqual([]);
    expect(readdirSync(dir)).toEqual([`.aaa.tmp${process.ppid}-1`]);
  });
});

describe.skipIf(process.platform === "win32")("a file that is no key file", () => {
  it("is skipped: a pipe, a link to a device, a folder, a gigabyte", () => {
    execFileSync("mkfifo", [join(dir, "UTC--pipe")]);
    symlinkSync("/dev/zero", join(dir, "UTC--zero"));
    mkdirSync(join(dir, "UTC--folder"));
    writeFileSync(join(dir, "UTC--sparse"), "");
    truncateSync(join(dir, "UTC--sparse"), 2 ** 30);
    writeFileSync(join(dir, "aaa"), aaa, { mode: 0o600 });
    expect(open().accounts().length).toBe(1);
    const folder = createKeyFolder(dir);
    for (const name of ["UTC--pipe", "UTC--zero", "UTC--folder", "UTC--sparse"])
      expect(() => folder.read(name)).toThrow(expect.objectContaining({ code: "KEY_FILE" }));
  });
});

describe.skipIf(process.platform === "win32")("a folder open to others", () => {
  it("is reported once, with the command that closes it", () => {
    chmodSync(dir, 0o755);
    const keystore = open();
    for (let i = 0; i < 2; i++) keystore.accounts();
    expect(logger.warn.mock.calls).toEqual([
      [
        "the keystore is open to others than its owner",
        { folder: dir, mode: "0755", fix: `chmod 700 '${dir}'` },
      ],
    ]);
  });
});

describe("a folder that cannot be watched", () => {
  const unwatched = (): KeyFolder => ({ ...createKeyFolder(dir), watch: () => undefined });
  const onFolder = (folder: KeyFolder) => {
    const keystore = createKeystore({ dir, ...runtime, logger, deriver, folder });
    opened.push(keystore);
    return keystore;
  };

  it.skipIf(process.platform === "win32")("is reported once if it is open to others", async () => {
    chmodSync(dir, 0o755);
    const keystore = onFolder(unwatched());
    for (let i = 0; i < 3; i++) {
      keystore.accounts();
      await runtime.advance(1000);
    }
    expect(logger.warn).toHaveBeenCalledTimes(1);
  });

  it("has a file again that comes back as it was", async () => {
    const path = join(dir, "aaa");
    writeFileSync(path, aaa, { mode: 0o600 });
    const folder = unwatched();
    // as where no time of the last change of metadata is kept
    const stat = (name: string) => {
      const found = folder.stat(name);
      return found && { ...found, stamp: String(found.size) };
    };
    const keystore = onFolder({ ...folder, stat });
    const seen = [keystore.accounts().length];
    for (const change of [() => rmSync(path), () => writeFileSync(path, aaa, { mode: 0o600 })]) {
      change();
      await runtime.advance(1000);
      seen.push(keystore.accounts().length);
    }
    expect(seen).toEqual([1, 0, 1]);
  });
});

describe("a folder that cannot be read", () => {
  it("is an error for callers, until it can be read", async () => {
    const path = join(dir, "keystore");
    writeFileSync(path, "");
    const keystore = createKeystore({ dir: path, ...runtime, logger, deriver });
    opened.push(keystore);
    for (let i = 0; i < 2; i++)
      expect(() => keystore.accounts()).toThrow(
        expect.objectContaining({
          code: "KEY_FOLDER",
          message: expect.stringContaining(`could not read the keystore ${path}: ENOTDIR`),
        }),
      );
    rmSync(path);
    cpSync(join(vectors, "dupes"), path, { recursive: true });
    await runtime.advance(1000);
    expect(keystore.accounts().length).toBe(3);
  });

  it("does not stop the node that watches it, and has its accounts again afterwards", async () => {
    cpSync(join(vectors, "dupes"), dir, { recursive: true });
    const real = createKeyFolder(dir);
    let isClosed = false;
    const enter = <T>(task: () => T): T => {
      if (isClosed) throw new WalletError("KEY_FOLDER", "permission denied");
      return task();
    };
    let notice: (name: string) => void = () => undefined;
    const folder: KeyFolder = {
      ...real,
      names: () => enter(() => real.names(9)),
      stat: (name) => enter(() => real.stat(name)),
      watch(onChange) {
        notice = onChange;
        return () => undefined;
      },
    };
    const keystore = createKeystore({ dir, ...runtime, logger, folder });
    opened.push(keystore);
    expect(keystore.accounts().length).toBe(3);
    notice("1");
    const pending = runtime.scheduled;
    await keystore.close();
    expect([pending, runtime.scheduled]).toEqual([1, 0]);
    await runtime.advance(1000);
    expect(keystore.accounts().length).toBe(3);
    isClosed = true;
    notice("1");
    await runtime.advance(500);
    expect(() => keystore.accounts()).toThrow("permission denied");
    isClosed = false;
    await runtime.advance(1000);
    expect(keystore.accounts().length).toBe(3);
  });
});

describe("a key file", () => {
  it("counts as changed if its mode has changed", () => {
    writeFileSync(join(dir, "aaa"), aaa, { mode: 0o600 });
    const folder = createKeyFolder(dir);
    const before = folder.stat("aaa")?.stamp;
    expect(folder.stat("aaa")?.stamp).toBe(before);
    chmodSync(join(dir, "aaa"), 0o400);
    expect(folder.stat("aaa")?.stamp).not.toBe(before);
  });

  it("that cannot be written is an error with its cause", async () => {
    const folder = createKeyFolder(dir);
    await expect(folder.write("x".repeat(4096), "", () => undefined)).rejects.toMatchObject({
      code: "KEY_FILE_WRITE",
      message: expect.stringContaining("ENAMETOOLONG"),
    });
  });

  it.skipIf(process.platform === "win32")("is on disk with its name when it has been written", async () => {
    const steps = recordDiskSteps();
    await createKeyFolder(dir).write("aaa", "text", () => undefined);
    const draft = expect.stringContaining(".aaa.tmp");
    const [written, synced, ...named] = steps;
    expect([written?.split(" "), synced?.split(" ")]).toEqual([
      ["write", draft],
      ["sync", draft],
    ]);
    expect(named).toEqual(["rename aaa", `sync ${basename(dir)}`]);
  });

  it("is intact after concurrent writes to the same name", async () => {
    const folder = createKeyFolder(dir);
    const texts = Array.from({ length: 20 }, (_, i) => String(i).repeat(5000));
    const verify = (text: string) => (stored: string) => expect(stored).toBe(text);
    await Promise.all(texts.map((text) => folder.write("aaa", text, verify(text))));
    expect(texts).toContain(folder.read("aaa"));
    expect(readdirSync(dir)).toEqual(["aaa"]);
  });
});

describe.skipIf(process.platform === "win32")("key files that others may read", () => {
  it("are reported once each, by path only", async () => {
    for (const [name, mode] of [
      ["mine", 0o600],
      ["executables", 0o611],
      ["groups", 0o640],
      ["everyones", 0o604],
    ] as const) {
      writeFileSync(join(dir, name), aaa);
      chmodSync(join(dir, name), mode);
    }
    const keystore = open();
    keystore.accounts();
    const shared = [
      ["everyones", "0604"],
      ["groups", "0640"],
    ].map(([name, mode]) => {
      const file = join(dir, name as string);
      return { file, mode, fix: `chmod 600 '${file}'` };
    });
    expect(logger.warn.mock.calls.map(([, fields]) => fields)).toEqual(expect.arrayContaining(shared));
    writeFileSync(join(dir, "groups"), readFileSync(join(vectors, "keystore", "zzz")));
    await vi.waitFor(async () => {
      await runtime.advance(2000);
      expect(new Set(keystore.accounts().map(({ address }) => bytesToHex(address))).size).toBe(2);
    }, 15_000);
    expect(logger.warn).toHaveBeenCalledTimes(2);
  });
});

describe("broken files", () => {
  it("are reported once, and again after a change, and hide no others", async () => {
    const name = "UTC--2024-01-01T00-00-00.000000000Z--broken";
    writeFileSync(join(dir, name), '{"address":');
    writeFileSync(join(dir, "README"), "keep out");
    writeFileSync(join(dir, "aaa"), aaa, { mode: 0o600 });
    const keystore = open();
    for (let i = 0; i < 3; i++) expect(keystore.accounts().length).toBe(1);
    expect(logger.warn.mock.calls.map(([, fields]) => fields)).toEqual([
      { file: name, reason: "no JSON with an address" },
    ]);
    expect(logger.debug.mock.calls.map(([, fields]) => fields.file)).toEqual(["README"]);
    writeFileSync(join(dir, name), "still broken");
    await vi.waitFor(async () => {
      await runtime.advance(2000);
      keystore.accounts();
      expect(logger.warn).toHaveBeenCalledTimes(2);
    }, 15_000);
  });

  it("are not read if they are far too large", () => {
    const padded = JSON.stringify({ ...JSON.parse(String(aaa)), padding: "x".repeat(2 ** 20) });
    writeFileSync(join(dir, "UTC--large"), padded);
    expect(open().accounts()).toEqual([]);
    expect(logger.warn.mock.calls[0]?.[1].reason).toMatch(/^too large for a key file: \d+ bytes$/);
  });

  it("cannot make the node derive more keys than an account may have", async () => {
    const crypto = JSON.parse(String(aaa)).crypto;
    const keyring = [Array.from({ length: 11 }, () => crypto)];
    const id = "3198bc9c-6672-5ab3-d995-4942343ae5b6";
    const file = { address: "f466859ead1932d743d622cb74fc058882e8648a", keyring, id, version: 4 };
    writeFileSync(join(dir, "many"), JSON.stringify(file));
    const keystore = open();
    const { address } = keystore.accounts()[0] as { address: Uint8Array };
    await expect(keystore.unlock(address, new Passphrase("foobar"), 1)).rejects.toThrowError(
      "more than 3 roles of 10 keys",
    );
  });
});

describe("several files for one address", () => {
  const duplicate = hexToBytes("0xf466859ead1932d743d622cb74fc058882e8648a");
  beforeEach(() => cpSync(join(vectors, "dupes"), dir, { recursive: true }));

  it("are named if an address is ambiguous", async () => {
    const keystore = open(true);
    await expect(keystore.unlock(duplicate, new Passphrase("foobar"), 0)).rejects.toThrowError(
      `multiple keys match address (${join(dir, "1")}, ${join(dir, "2")})`,
    );
    await expect(keystore.unlock(new Uint8Array(20), new Passphrase("foobar"), 0)).rejects.toThrowError(
      `multiple keys match address (${["1", "2", "foo"].map((name) => join(dir, name)).join(", ")})`,
    );
    expect(keystore.accounts().length).toBe(3);
  });

  it("can be opened by URL, and each wallet signs with its own file", async () => {
    const keystore = open(true);
    const wallets = keystore.wallets().filter((wallet) => wallet.url.match(/\/[12]$/));
    const hash = new Uint8Array(32).fill(7);
    const [first, second] = await Promise.all(
      wallets.map((wallet) => wallet.signHash(duplicate, hash, new Passphrase("foobar"))),
    );
    expect(first).toEqual(second);
    const account = keystore.accounts().find(({ url }) => url.endsWith("/2"));
    await keystore.unlock(account as NonNullable<typeof account>, new Passphrase("foobar"), 0);
    expect(await keystore.signHash(duplicate, hash)).toEqual(first);
    expect(bytesToHex(duplicate)).toBe(bytesToHex(account?.address as Uint8Array));
  }, 60_000);
});
