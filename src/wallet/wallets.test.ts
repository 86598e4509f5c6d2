import { describe, expect, it, vi } from "vitest";
import { createSimulatedRuntime } from "../platform/runtime/simulated.ts";
import { createKeystore } from "./keystore/keystore.ts";
import { Passphrase } from "./passphrase.ts";
import { messageSignature } from "./signed-message.ts";
import type { Wallet, WalletBackend } from "./wallet.ts";
import { combineWallets } from "./wallets.ts";

const key = (n: number) => new Uint8Array(32).fill(n);
const signature = { r: 1n, s: 1n, parity: 0 as const };
const deviceAddress = key(9).slice(12);

function fakeDevice(url: string): { backend: WalletBackend; wallet: Wallet } {
  const wallet: Wallet = {
    url,
    status: async () => ({ status: "online" }),
    accounts: () => [{ address: deviceAddress, url: `${url}/0` }],
    open: async () => {},
    close: async () => {},
    derive: async () => ({ address: deviceAddress, url }),
    signHash: vi.fn(async () => signature),
    signText: vi.fn(async () => messageSignature(signature)),
    signTransaction: vi.fn(async () => [signature]),
  };
  return { wallet, backend: { wallets: () => [wallet], close: vi.fn(async () => {}) } };
}

describe("combined wallets", () => {
  const empty = {
    ...{ path: "/keys", names: () => [], stat: () => undefined },
    ...{ removeDrafts: () => [], watch: () => undefined, sharedMode: () => undefined },
  } as never;
  const open = () => createKeystore({ dir: "/keys", folder: empty, ...createSimulatedRuntime() });

  it("list everything in the order of URLs, and find it by URL", () => {
    const keystore = open();
    keystore.addUnlocked(key(1));
    const [ledger, trezor] = [fakeDevice("ledger://1"), fakeDevice("trezor://1")];
    const all = combineWallets(keystore, [trezor.backend, ledger.backend]);
    expect(all.wallets().map(({ url }) => url.split(":")[0])).toEqual(["ledger", "memory", "trezor"]);
    expect(all.accounts().map(({ url }) => url.split(":")[0])).toEqual(["memory", "ledger", "trezor"]);
    expect(all.wallet("trezor://1")).toBe(trezor.wallet);
    expect(() => all.wallet("trezor://2")).toThrowError("unknown wallet");
  });

  it("let each account sign with its own backend", async () => {
    const keystore = open();
    const { address } = keystore.addUnlocked(key(1));
    const device = fakeDevice("ledger://1");
    const all = combineWallets(keystore, [device.backend]);
    await all.signHash(address, key(2));
    expect(device.wallet.signHash).not.toHaveBeenCalled();
    const secret = new Passphrase("1234");
    await all.signHash(deviceAddress, key(2), secret);
    expect(device.wallet.signHash).toHaveBeenCalledWith(deviceAddress, key(2), secret);
    expect(all.has(deviceAddress)).toBe(true);
    await expect(all.signHash(key(3).slice(12), key(2))).rejects.toThrowError("unknown account");
  });

  it("are closed together", async () => {
    const device = fakeDevice("ledger://1");
    const keystore = open();
    const { address } = keystore.addUnlocked(key(1));
    await combineWallets(keystore, [device.backend]).close();
    expect(device.backend.close).toHaveBeenCalled();
    expect(keystore.isUnlocked(address)).toBe(false);
  });
});
