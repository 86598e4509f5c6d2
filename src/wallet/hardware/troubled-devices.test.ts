import { describe, expect, it } from "vitest";
import { testKeys } from "./testing/fake-keys.ts";
import { FakeLedger } from "./testing/fake-ledger.ts";
import { plugged } from "./testing/plugged.ts";
import { signerOf } from "./testing/transactions.ts";
import { at, OWN, TX, URL_OF_LEDGER, withLedger } from "./testing/with-ledger.ts";

describe("a Ledger that is not ready", () => {
  it.each([
    [
      "has no app open",
      (device: FakeLedger): void => {
        device.app = "none";
      },
      "open the Klaytn or the Ethereum app on the device",
    ],
    [
      "is locked",
      (device: FakeLedger): void => {
        device.isLocked = true;
      },
      "the device is locked; enter its PIN on the device",
    ],
  ] as const)(
    "opens when it %s, says what to do, and is online once that is done",
    async (_, prepare, text) => {
      const device = new FakeLedger();
      const { runtime, wallet } = await plugged({ "1-1": device });
      prepare(device);
      const ledger = wallet(URL_OF_LEDGER);
      await ledger.open("");
      expect(await ledger.status()).toEqual({ status: "Ethereum app offline", failure: `ledger: ${text}` });
      await expect(ledger.derive(OWN, true)).rejects.toThrow(text);
      device.app = "ethereum";
      device.isLocked = false;
      await runtime.advance(1000);
      expect(await ledger.status()).toEqual({ status: "Ethereum app v1.12.1 online" });
      expect((await ledger.derive(OWN, true)).address).toEqual(testKeys.address(at(0)));
    },
  );

  it("goes offline when its app is closed between two signatures", async () => {
    const { device, ledger, address, runtime } = await withLedger();
    device.app = "none";
    await runtime.advance(1000);
    expect((await ledger.status()).status).toBe("Ethereum app offline");
    await expect(signerOf(ledger, address, TX)).rejects.toThrow("open the Klaytn or the Ethereum app");
    device.app = "ethereum";
    expect(await signerOf(ledger, address, TX)).toEqual(address);
  });

  it("does not send commands of one app to another", async () => {
    const { device, ledger, address } = await withLedger();
    device.app = "klaytn";
    await expect(signerOf(ledger, address, TX)).rejects.toThrow();
    await expect(signerOf(ledger, address, TX)).rejects.toThrow();
  });
});

describe("a device that fails", () => {
  it("fails a signature when it is unplugged, and works again once it is back", async () => {
    const { bus, device, ledger, address, runtime, backend } = await withLedger();
    device.owner = () => new Promise(() => undefined);
    const signed = signerOf(ledger, address, TX);
    await runtime.advance(500);
    bus.unplug("1-1");
    await expect(signed).rejects.toThrow("the device was disconnected");
    expect(await ledger.status()).toEqual({
      status: "Failed: the device was disconnected",
      failure: "the device was disconnected",
    });
    await runtime.advance(1000);
    expect(backend.wallets()).toEqual([]);
    bus.plug("1-1", device);
    device.owner = () => true;
    await runtime.advance(1000);
    const again = backend.wallets()[0] as typeof ledger;
    await again.open("");
    await again.derive(OWN, true);
    expect(await signerOf(again, address, TX)).toEqual(address);
  });

  it.each([
    ["a machine", 5_000, "device"],
    ["a person", 180_000, "user"],
  ] as const)("times out like %s", async (_, limit, who) => {
    const { device, ledger, address, runtime } = await withLedger();
    if (who === "device") device.isSilent = true;
    else device.owner = () => new Promise(() => undefined);
    const request = who === "device" ? ledger.derive(OWN, false) : signerOf(ledger, address, TX);
    const rejected = expect(request).rejects.toThrow(`no response from the device within ${limit / 1000} s`);
    await runtime.advance(limit - 1);
    expect((await ledger.status()).status).toContain("online");
    await runtime.advance(2);
    await rejected;
    expect((await ledger.status()).status).toContain("Failed: no response");
  });

  it("is rejected if its signature is not by the account", async () => {
    const { device, ledger, address } = await withLedger();
    device.signsWrongly = true;
    await expect(signerOf(ledger, address, TX)).rejects.toThrow(
      "the device's signature is not by 0xf39fd6e5",
    );
    expect((await ledger.status()).status).toContain("Failed");
  });

  it("may respond with garbage", async () => {
    const garbage = { vendorId: 0x2c97, productId: 4, reset: () => undefined };
    const noise = { ...garbage, receive: async () => [new Uint8Array(64).fill(0x55)] };
    const { wallet } = await plugged({
      "1-1": noise,
      "1-2": { ...noise, vendorId: 0x1209, productId: 0x53c1 },
    });
    await wallet(URL_OF_LEDGER).open("");
    expect(await wallet(URL_OF_LEDGER).status()).toEqual({
      status: "Ethereum app in browser mode",
      failure: "ledger: invalid reply header",
    });
    await expect(wallet("trezor://1-2").open("")).rejects.toThrow("does not speak protocol version 1");
  });

  it("is not misunderstood if it responds to an earlier command first", async () => {
    class Late extends FakeLedger {
      override exchange(): Promise<Uint8Array> {
        return Promise.resolve(Uint8Array.of(...new Uint8Array(65), 0x90, 0x00));
      }
    }
    const { wallet } = await plugged({ "1-1": new Late() });
    await expect(wallet(URL_OF_LEDGER).open("")).rejects.toThrow("a late reply to an earlier command");
  });

  it("does not sign for an account that was not derived", async () => {
    const { ledger } = await withLedger();
    await expect(signerOf(ledger, new Uint8Array(20), TX)).rejects.toThrow("unknown account");
  });

  it("cannot be opened by two programs at once", async () => {
    const { bus, wallet } = await plugged({ "1-1": new FakeLedger() });
    const [device] = await bus.devices();
    await bus.open(device as never);
    await expect(wallet(URL_OF_LEDGER).open("")).rejects.toThrow(
      "cannot open ledger://1-1: the device is in use",
    );
  });
});
