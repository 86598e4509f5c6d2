import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSimulatedRuntime, type SimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { publicKeyOf, recoverPublicKey } from "../../protocol/crypto/secp256k1.ts";
import { bigintToFixedBytes, concat } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { Passphrase } from "../passphrase.ts";
import type { Keystore } from "../wallet.ts";
import type { KeyDeriver } from "./key-derivation.ts";
import { createKeyFolder, type KeyFolder } from "./key-folder.ts";
import { createKeystore } from "./keystore.ts";

const vectors = new URL("../../../test/fixtures/vectors/keystore/files/", import.meta.url).pathname;
/** A single hash: the real derivation has its own tests. */
const deriver: KeyDeriver = {
  derive: async ({ bytes }, { salt }) => createHash("sha256").update(bytes).update(salt).digest(),
};
const key = (n: number) => new Uint8Array(32).fill(n);
const hash = key(0x55);
const KEY_1_ADDRESS = "0x1a642f0e3c3af545e7acbd38b07251b3990914f1";

let dir: string;
let runtime: SimulatedRuntime;
let keystore: Keystore;
const open = () => createKeystore({ dir, ...runtime, deriver });
const addresses = () => keystore.accounts().map(({ address }) => bytesToHex(address));

beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), "kairn-keystore-")), "keystore");
  runtime = createSimulatedRuntime({ startMs: Date.UTC(2025, 0, 2, 3, 4, 5, 678) });
  keystore = open();
});
afterEach(async () => {
  await keystore.close();
  rmSync(join(dir, ".."), { recursive: true });
});

describe("a new key file", () => {
  it("is named after time and address, and readable only by its owner", async () => {
    const { address, url } = await keystore.importKey(key(1), new Passphrase("pw"));
    expect(bytesToHex(address)).toBe(KEY_1_ADDRESS);
    const name = `UTC--2025-01-02T03-04-05.678000000Z--${KEY_1_ADDRESS.slice(2)}`;
    expect(readdirSync(dir)).toEqual([name]);
    expect(url).toBe(`keystore://${join(dir, name)}`);
    expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(join(dir, name), "utf8"))).toMatchObject({
      address: KEY_1_ADDRESS.slice(2),
      version: 4,
      keyring: [[{ cipher: "aes-128-ctr", kdf: "scrypt", kdfparams: { n: 262144, r: 8, p: 1, dklen: 32 } }]],
    });
  });

  it("can be decrypted by another keystore on the folder", async () => {
    const { address } = await keystore.newAccount(new Passphrase("pässwörd"));
    const other = open();
    await other.unlock(address, new Passphrase("pässwörd"), 0);
    expect(other.isUnlocked(address)).toBe(true);
    await other.close();
  });

  it("is rejected as a duplicate, even while the first is still being written", async () => {
    const [first, second] = await Promise.allSettled([
      keystore.importKey(key(1), new Passphrase("a")),
      keystore.importKey(key(1), new Passphrase("b")),
    ]);
    expect(first.status).toBe("fulfilled");
    expect(second).toMatchObject({ reason: { message: "account already exists" } });
    await expect(keystore.importKey(key(1), new Passphrase("c"))).rejects.toThrowError(
      "account already exists",
    );
  });

  it.runIf(process.getuid?.() !== 0)("leaves nothing behind if it cannot be written", async () => {
    await keystore.newAccount(new Passphrase(""));
    chmodSync(dir, 0o500);
    await expect(keystore.newAccount(new Passphrase(""))).rejects.toMatchObject({ code: "KEY_FILE_WRITE" });
    chmodSync(dir, 0o700);
    expect(readdirSync(dir).length).toBe(1);
  });

  it("is removed if the disk did not store it correctly", async () => {
    const real = createKeyFolder(dir);
    const faulty: KeyFolder = {
      ...real,
      write: (name, content, verify) =>
        real.write(name, content, (stored) => verify(stored.replace(/"salt":"../, '"salt":"00'))),
    };
    const broken = createKeystore({ dir, ...runtime, deriver, folder: faulty });
    await expect(broken.newAccount(new Passphrase(""))).rejects.toMatchObject({ code: "KEY_FILE_WRITE" });
    expect(broken.accounts()).toEqual([]);
    expect(readdirSync(dir)).toEqual([]);
    await broken.close();
  });

  it("takes one derivation, as do unlocking and importing", async () => {
    const derive = vi.fn(deriver.derive);
    const store = createKeystore({ dir, ...runtime, deriver: { derive } });
    const { address } = await store.newAccount(new Passphrase("pw"));
    expect(derive).toHaveBeenCalledTimes(1);
    await store.unlock(address, new Passphrase("pw"), 1);
    expect(derive).toHaveBeenCalledTimes(2);
    await store.importKey(key(1), new Passphrase("pw"));
    expect(derive).toHaveBeenCalledTimes(3);
    await store.close();
  });

  it("leaves no derived key in memory", async () => {
    const derived: Uint8Array[] = [];
    const remembering: KeyDeriver = {
      derive: async (...args) => {
        const made = await deriver.derive(...args);
        derived.push(made);
        return made;
      },
    };
    const store = createKeystore({ dir, ...runtime, deriver: remembering });
    const [old, next] = [new Passphrase("a"), new Passphrase("b")];
    const { address } = await store.newAccount(old);
    await store.exportKeyFile(address, old, next);
    await store.close();
    expect(derived.length).toBeGreaterThan(2);
    expect(derived.every((bytes) => bytes.every((byte) => byte === 0))).toBe(true);
  });

  it("stores a key under the given address, even if it is another account's", async () => {
    const address = key(7).slice(12);
    await keystore.importKey(key(1), new Passphrase("pw"), address);
    const { r, s, parity } = await keystore.signHash(address, hash, new Passphrase("pw"));
    const signature = concat(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32));
    expect(recoverPublicKey(hash, signature, parity)).toEqual(publicKeyOf(key(1)));
  });

  it("keeps its name when its key is replaced, which locks the account", async () => {
    const { address, url } = await keystore.importKey(key(1), new Passphrase("old"));
    await keystore.unlock(address, new Passphrase("old"), 0);
    await expect(
      keystore.replaceKey(key(2), address, new Passphrase("wrong"), new Passphrase("new")),
    ).rejects.toThrowError("could not decrypt");
    expect(keystore.isUnlocked(address)).toBe(false);
    expect(
      (await keystore.replaceKey(key(2), address, new Passphrase("old"), new Passphrase("new"))).url,
    ).toBe(url);
    expect(await keystore.signHash(address, hash, new Passphrase("new"))).toEqual(await signedBy(key(2)));
    await expect(
      keystore.replaceKey(key(2), key(9).slice(12), new Passphrase(""), new Passphrase("")),
    ).rejects.toThrowError("no key for given address or file");
  });

  it("has its passphrase changed, is exported, deleted and imported again", async () => {
    const { address } = await keystore.importKey(key(1), new Passphrase("a"));
    await keystore.changePassphrase(address, new Passphrase("a"), new Passphrase("b"));
    const text = await keystore.exportKeyFile(address, new Passphrase("b"), new Passphrase("c"));
    await expect(keystore.deleteAccount(address, new Passphrase("a"))).rejects.toThrowError(
      "could not decrypt",
    );
    await keystore.deleteAccount(address, new Passphrase("b"));
    expect(readdirSync(dir)).toEqual([]);
    expect(keystore.has(address)).toBe(false);
    await keystore.importKeyFile(text, new Passphrase("c"), new Passphrase("d"));
    expect(await keystore.signHash(address, hash, new Passphrase("d"))).toEqual(await signedBy(key(1)));
  });

  async function signedBy(privateKey: Uint8Array) {
    const { address } = keystore.addUnlocked(privateKey);
    return keystore.signHash(address, hash);
  }
});

describe("the key folder", () => {
  it("finds key files by content, and skips everything else", () => {
    cpSync(join(vectors, "keystore"), dir, { recursive: true });
    symlinkSync(join(vectors, "very-light-scrypt.json"), join(dir, "link"));
    writeFileSync(join(dir, "copy~"), readFileSync(join(dir, "aaa")));
    expect(addresses()).toEqual([
      "0x7ef5a6135f1fd6a02593eedc869c6d41d934aef8",
      "0xf466859ead1932d743d622cb74fc058882e8648a",
      "0x289d485d9771714cce91d3393d764e1311907acc",
    ]);
  });

  it("follows added, changed and removed files", async () => {
    const [aaa, zzz] = ["aaa", "zzz"].map((name) => readFileSync(join(vectors, "keystore", name)));
    await keystore.newAccount(new Passphrase(""));
    const settled = async (want: number) => {
      await vi.waitFor(async () => {
        await runtime.advance(2000);
        expect(keystore.accounts().length).toBe(want);
      }, 15_000);
    };
    writeFileSync(join(dir, "file"), aaa as Buffer);
    await settled(2);
    expect(addresses()).toContain("0xf466859ead1932d743d622cb74fc058882e8648a");
    writeFileSync(join(dir, "file"), zzz as Buffer);
    await vi.waitFor(async () => {
      await runtime.advance(2000);
      expect(addresses()).toContain("0x289d485d9771714cce91d3393d764e1311907acc");
    }, 15_000);
    rmSync(join(dir, "file"));
    await settled(1);
    rmSync(dir, { recursive: true });
    await settled(0);
    cpSync(join(vectors, "dupes"), dir, { recursive: true });
    await settled(3);
  });

  it("checks for a missing folder at most once a second", async () => {
    const names = vi.fn(() => [] as string[]);
    const absent = {
      path: dir,
      names,
      sharedMode: () => undefined,
      removeDrafts: () => [],
      watch: () => undefined,
    } as never;
    const store = createKeystore({ dir, ...runtime, deriver, folder: absent });
    for (let i = 0; i < 5; i++) store.accounts();
    expect(names).toHaveBeenCalledTimes(1);
    await runtime.advance(1000);
    store.accounts();
    expect(names).toHaveBeenCalledTimes(2);
  });
});

describe("unlocking", () => {
  let address: Uint8Array;
  beforeEach(async () => {
    ({ address } = await keystore.importKey(key(1), new Passphrase("pw")));
  });

  it("allows signatures until it expires", async () => {
    await expect(keystore.signHash(address, hash)).rejects.toThrowError(
      "authentication needed: password or unlock",
    );
    await keystore.unlock(address, new Passphrase("pw"), 10);
    await runtime.advance(9999);
    expect(keystore.unlockedMs(address)).toBe(1);
    await expect(keystore.signHash(address, hash)).resolves.toBeDefined();
    await runtime.advance(1);
    await expect(keystore.signHash(address, hash)).rejects.toMatchObject({ code: "LOCKED" });
  });

  it("replaces a time limit, or removes it", async () => {
    await keystore.unlock(address, new Passphrase("pw"), 10);
    await keystore.unlock(address, new Passphrase("pw"), 2);
    await runtime.advance(2000);
    expect(keystore.isUnlocked(address)).toBe(false);
    await keystore.unlock(address, new Passphrase("pw"), 2);
    await keystore.unlock(address, new Passphrase("pw"), 0);
    await runtime.advance(10_000);
    expect(keystore.isUnlocked(address)).toBe(true);
  });

  it("does not limit an unlimited one, but checks the passphrase", async () => {
    await keystore.unlock(address, new Passphrase("pw"), 0);
    await keystore.unlock(address, new Passphrase("pw"), 1);
    await runtime.advance(2000);
    expect(keystore.isUnlocked(address)).toBe(true);
    await expect(keystore.unlock(address, new Passphrase("wrong"), 1)).rejects.toMatchObject({
      code: "WRONG_PASSPHRASE",
    });
    expect(keystore.isUnlocked(address)).toBe(true);
  });

  it("can be ended immediately whatever the limit; locking returns true even if locked", async () => {
    for (const seconds of [0, 100]) {
      await keystore.unlock(address, new Passphrase("pw"), seconds);
      expect(keystore.lock(address)).toBe(true);
      expect(keystore.isUnlocked(address)).toBe(false);
    }
    expect(keystore.lock(address)).toBe(true);
    expect(runtime.scheduled).toBeLessThanOrEqual(1);
  });

  it("may last for months, up to the reference node's maximum duration", async () => {
    const schedule = vi.spyOn(runtime.timers, "schedule");
    await keystore.unlock(address, new Passphrase("pw"), 10_000_000);
    await runtime.advance(9_999_999_000);
    // a timer of the platform fires immediately if its delay is longer
    for (const [delayMs] of schedule.mock.calls) expect(delayMs).toBeLessThan(2 ** 31);
    expect(keystore.isUnlocked(address)).toBe(true);
    await runtime.advance(1000);
    expect(keystore.isUnlocked(address)).toBe(false);
    await expect(keystore.unlock(address, new Passphrase("pw"), 9_223_372_037)).rejects.toThrowError(
      "unlock duration too large",
    );
  });

  it("is shown in the status of each wallet, which opening does not change", async () => {
    const wallet = keystore.wallet(keystore.accounts()[0]?.url as string);
    await wallet.open("nonsense");
    expect(await wallet.status()).toEqual({ status: "Locked" });
    await keystore.unlock(address, new Passphrase("pw"), 1);
    expect(await wallet.status()).toEqual({ status: "Unlocked" });
    await expect(wallet.derive("m/44'/8217'/0'/0/0", false)).rejects.toThrowError("not supported");
    await expect(wallet.derive("m/x", false)).rejects.toThrowError("invalid component: x");
  });

  it("rejects unknown wallets and accounts", async () => {
    expect(() => keystore.wallet("nope")).toThrowError("protocol scheme missing");
    expect(() => keystore.wallet("://x")).toThrowError("protocol scheme missing");
    expect(() => keystore.wallet("ledger://x")).toThrowError("unknown wallet");
    await expect(keystore.signHash(key(3).slice(12), hash, new Passphrase("pw"))).rejects.toThrowError(
      "unknown account",
    );
    await expect(keystore.unlock(key(3).slice(12), new Passphrase("pw"), 1)).rejects.toMatchObject({
      code: "NO_KEY",
    });
  });

  it("fails if the file has just been removed", async () => {
    rmSync(dir, { recursive: true });
    await expect(keystore.unlock(address, new Passphrase("pw"), 1)).rejects.toMatchObject({ code: "NO_KEY" });
  });
});
