import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { addressOfPublicKey, recoverPublicKey } from "../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { Passphrase } from "../passphrase.ts";
import { messageHash } from "../signed-message.ts";
import type { Keystore } from "../wallet.ts";
import type { KeyDeriver } from "./key-derivation.ts";
import { createKeystore } from "./keystore.ts";

const deriver: KeyDeriver = {
  derive: async ({ bytes }, { salt }) => createHash("sha256").update(bytes).update(salt).digest(),
};
const key = (n: number) => new Uint8Array(32).fill(n);
const hash = key(0x55);
const KEY_1_ADDRESS = "0x1a642f0e3c3af545e7acbd38b07251b3990914f1";

let dir: string;
let keystore: Keystore;
const addresses = () => keystore.accounts().map(({ address }) => bytesToHex(address));

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "kairn-keystore-"));
  keystore = createKeystore({ dir, ...createSimulatedRuntime(), deriver });
});
afterEach(async () => {
  await keystore.close();
  rmSync(dir, { recursive: true });
});

describe("accounts in memory", () => {
  it("sign messages synchronously while unlocked, and fail synchronously otherwise", () => {
    const { address } = keystore.addUnlocked(key(1));
    const message = { text: new TextEncoder().encode("hello"), name: "Ethereum" } as const;
    const signature = keystore.signText(address, message) as Uint8Array;
    const parity = (signature[64] as number) - 27;
    const signer = recoverPublicKey(messageHash(message), signature.subarray(0, 64), parity);
    expect(addressOfPublicKey(signer)).toEqual(address);
    keystore.lock(address);
    expect(() => keystore.signText(address, message)).toThrowError("authentication needed");
    expect(() => keystore.signText(key(3).slice(12), message)).toThrowError("unknown account");
  });

  it("are unlocked initially, listed in order before files, and need their passphrase once locked", async () => {
    await keystore.newAccount(new Passphrase(""));
    const { address, url } = keystore.addUnlocked(key(1), new Passphrase("secret"));
    expect(url).toBe(`memory://${KEY_1_ADDRESS}`);
    const second = keystore.addUnlocked(key(2));
    expect(addresses().slice(0, 2)).toEqual([KEY_1_ADDRESS, bytesToHex(second.address)]);
    await expect(keystore.signHash(address, hash)).resolves.toBeDefined();
    keystore.lock(address);
    await expect(keystore.signHash(address, hash)).rejects.toMatchObject({ code: "LOCKED" });
    await expect(keystore.unlock(address, new Passphrase(""), 0)).rejects.toMatchObject({
      code: "WRONG_PASSPHRASE",
    });
    await keystore.unlock(address, new Passphrase("secret"), 0);
    await expect(keystore.signHash(address, hash)).resolves.toBeDefined();
  });

  it("keep their key when their passphrase changes, and are gone once deleted", async () => {
    const [old, next] = [new Passphrase("a"), new Passphrase("b")];
    const { address } = keystore.addUnlocked(key(1), old);
    const signature = await keystore.signHash(address, hash);
    await keystore.changePassphrase(address, old, next);
    keystore.lock(address);
    await expect(keystore.unlock(address, old, 0)).rejects.toMatchObject({ code: "WRONG_PASSPHRASE" });
    expect(await keystore.signHash(address, hash, next)).toEqual(signature);
    await keystore.deleteAccount(address, next);
    expect([keystore.has(address), keystore.accounts()]).toEqual([false, []]);
  });

  it("need a valid key", () => {
    const refused = expect.objectContaining({ code: "KEY_TEXT" });
    for (const bad of [key(0), key(255), new Uint8Array(31)])
      expect(() => keystore.addUnlocked(bad)).toThrow(refused);
    expect(keystore.accounts()).toEqual([]);
  });

  it("are replaced by a key file of the same address", async () => {
    const { address } = keystore.addUnlocked(key(1));
    await keystore.importKey(key(1), new Passphrase("pw"));
    expect(addresses()).toEqual([KEY_1_ADDRESS]);
    expect(keystore.accounts()[0]?.url).toMatch(/^keystore:/);
    await expect(keystore.signHash(address, hash, new Passphrase("pw"))).resolves.toBeDefined();
  });
});
