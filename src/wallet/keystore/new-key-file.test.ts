import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { SimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { publicKeyOf, recoverPublicKey } from "../../protocol/crypto/secp256k1.ts";
import { bigintToFixedBytes, concat, equalBytes } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { Passphrase } from "../passphrase.ts";
import type { Keystore } from "../wallet.ts";
import type { KeyDeriver } from "./key-derivation.ts";
import { createKeyFolder, type KeyFolder } from "./key-folder.ts";
import { createKeystore } from "./keystore.ts";
import { deriver, hash, key, temporaryKeystore } from "./testing/keystore.ts";

const KEY_1_ADDRESS = "0x1a642f0e3c3af545e7acbd38b07251b3990914f1";

let dir: string;
let runtime: SimulatedRuntime;
let keystore: Keystore;
const open = () => createKeystore({ dir, ...runtime, deriver });

beforeEach(() => {
  ({ dir, runtime, keystore } = temporaryKeystore());
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

  it("leaves no copy of the key of an imported file in memory", async () => {
    const { address } = await keystore.importKey(key(1), new Passphrase("a"));
    const text = await keystore.exportKeyFile(address, new Passphrase("a"), new Passphrase("b"));
    await keystore.deleteAccount(address, new Passphrase("a"));
    const { fill } = Uint8Array.prototype;
    let wiped = 0;
    vi.spyOn(Uint8Array.prototype, "fill").mockImplementation(function (this: Uint8Array, ...given) {
      if (given[0] === 0 && equalBytes(this, key(1))) wiped++;
      return fill.apply(this, given);
    });
    await keystore.importKeyFile(text, new Passphrase("b"), new Passphrase("c"));
    vi.restoreAllMocks();
    // decrypted twice: to read it, and to check what was written
    expect(wiped).toBe(2);
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
