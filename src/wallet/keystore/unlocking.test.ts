import { rmSync } from "node:fs";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { SimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { Passphrase } from "../passphrase.ts";
import type { Keystore } from "../wallet.ts";
import { hash, key, temporaryKeystore } from "./testing/keystore.ts";

let dir: string;
let runtime: SimulatedRuntime;
let keystore: Keystore;

beforeEach(() => {
  ({ dir, runtime, keystore } = temporaryKeystore());
});

describe("unlocking", () => {
  let address: Uint8Array;
  beforeEach(async () => {
    ({ address } = await keystore.importKey(key(1), new Passphrase("pw")));
  });

  it("allows signatures until it expires", async () => {
    expect(keystore.unlockedMs(address)).toBe(0);
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
    expect(keystore.unlockedMs(address)).toBe(Number.POSITIVE_INFINITY);
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
