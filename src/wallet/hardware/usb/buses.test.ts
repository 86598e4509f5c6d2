import { EventEmitter } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { createLogger, silentLogger } from "../../../platform/telemetry/logger.ts";
import type { Wallet } from "../../wallet.ts";
import { openHardwareWallets } from "../hardware-wallets.ts";
import { FakeBus, type FakeDevice } from "../testing/fake-bus.ts";
import { FakeLedger } from "../testing/fake-ledger.ts";
import { FakeTrezor } from "../testing/fake-trezor.ts";
import { signerOf, transaction } from "../testing/transactions.ts";
import { type Hid, openHidBus } from "./hid-bus.ts";
import { joinBuses, openSystemBus } from "./system-bus.ts";
import { REPORT_BYTES, type UsbBus, type UsbDevice } from "./usb-bus.ts";
import { openWebUsbBus, type WebUsbDevice } from "./web-usb-bus.ts";

const OWN = "m/44'/60'/0'/0/0";
const TREZOR = { vendorId: 0x1209, productId: 0x53c1, interfaceNumber: 0, endpoint: 1 };

/** Signs with the only wallet of a bus. */
async function signOver(bus: UsbBus): Promise<string> {
  const { timers } = createSimulatedRuntime();
  const backend = await openHardwareWallets({ bus, timers, logger: silentLogger, isUsed: () => false });
  const wallet = backend.wallets()[0] as Wallet;
  await wallet.open("");
  const { address } = await wallet.derive(OWN, true);
  expect(await signerOf(wallet, address, transaction("LegacyTransaction"))).toEqual(address);
  await backend.close();
  return wallet.url;
}

/** A device behind the two interrupt endpoints of WebUSB. An inbound transfer without data is cancelled soon. */
function webUsbDevice(device: FakeDevice, calls: string[], onTransfer = () => {}): WebUsbDevice {
  const reports: Uint8Array[] = [];
  return {
    ...{ vendorId: device.vendorId, productId: device.productId, bus: "1", address: 7 },
    open: async () => void calls.push("open"),
    close: async () => void calls.push("close"),
    claimInterface: async (number) => void calls.push(`claim ${number}`),
    releaseInterface: async (number) => void calls.push(`release ${number}`),
    async transferIn(endpoint, length) {
      expect([endpoint, length]).toEqual([1, REPORT_BYTES]);
      onTransfer();
      if (reports.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const report = reports.shift();
      if (report === undefined) throw new Error("transferIn error: Cancelled");
      return { data: new DataView(report.slice().buffer) };
    },
    async transferOut(endpoint, report) {
      expect([endpoint, report.length]).toEqual([1, REPORT_BYTES]);
      void device.receive(report).then((answer) => reports.push(...answer));
    },
  };
}

describe("WebUSB", () => {
  it("carries the reports of a Trezor over its interrupt endpoints", async () => {
    const calls: string[] = [];
    const usb = { getDevices: async () => [webUsbDevice(new FakeTrezor(), calls)] };
    expect(await signOver(await openWebUsbBus([TREZOR], () => usb))).toBe("trezor://1:7");
    expect(calls).toEqual(["open", "claim 0", "release 0", "close"]);
  });

  it("waits for the user over many transfers, and can be closed in between", async () => {
    const device = new FakeTrezor();
    device.isSilent = true;
    const calls: string[] = [];
    const transfers = vi.fn();
    const usb = { getDevices: async () => [webUsbDevice(device, calls, transfers)] };
    const bus = await openWebUsbBus([TREZOR], () => usb);
    const connection = await bus.open((await bus.devices())[0] as UsbDevice);
    const ended = expect(connection.read()).rejects.toThrow("closed");
    await vi.waitFor(() => expect(transfers.mock.calls.length).toBeGreaterThan(10), 15_000);
    await connection.close();
    await ended;
    expect(calls).toEqual(["open", "claim 0", "release 0", "close"]);
  });

  it("reports a device that was unplugged", async () => {
    const gone = { ...webUsbDevice(new FakeTrezor(), []) };
    gone.transferIn = async () => {
      throw new Error("transferIn error: Disconnected");
    };
    const bus = await openWebUsbBus([TREZOR], () => ({ getDevices: async () => [gone] }));
    const connection = await bus.open((await bus.devices())[0] as UsbDevice);
    await expect(connection.read()).rejects.toThrow("Disconnected");
  });

  it("releases a device that another program uses", async () => {
    const calls: string[] = [];
    const claimInterface = () => Promise.reject(new Error("Resource busy"));
    const device = { ...webUsbDevice(new FakeTrezor(), calls), claimInterface };
    const bus = await openWebUsbBus([TREZOR], () => ({ getDevices: async () => [device] }));
    const [found] = await bus.devices();
    await expect(bus.open(found as UsbDevice)).rejects.toThrow("Resource busy");
    expect(calls).toEqual(["open", "close"]);
  });

  it("lists no other devices", async () => {
    const other = { ...webUsbDevice(new FakeTrezor(), []), vendorId: 1 };
    const bus = await openWebUsbBus([TREZOR], () => ({ getDevices: async () => [other] }));
    expect(await bus.devices()).toEqual([]);
  });
});

describe("HID", () => {
  it("carries the reports of a Ledger after a report number of 0", async () => {
    const device = new FakeLedger();
    class Handle extends EventEmitter {
      async write(bytes: Buffer): Promise<void> {
        expect([bytes[0], bytes.length]).toEqual([0, 1 + REPORT_BYTES]);
        for (const answer of await device.receive(bytes.subarray(1))) this.emit("data", Buffer.from(answer));
      }
      async close(): Promise<void> {}
    }
    const listed = {
      path: "/dev/hidraw3",
      vendorId: 0x2c97,
      productId: 4,
      interface: 0,
      usagePage: 0xffa0,
      release: 1,
    };
    const u2f = { ...listed, path: "/dev/hidraw4", interface: 1, usagePage: 0xf1d0 };
    const hid = { devicesAsync: async () => [listed, u2f], HIDAsync: { open: async () => new Handle() } };
    expect(await signOver(await openHidBus(() => hid as unknown as Hid))).toBe("ledger:///dev/hidraw3");
  });
});

describe("the system's buses", () => {
  it("report libraries that cannot be loaded, in one line each, and have no devices then", async () => {
    const hid = () => {
      throw new Error("libusb-1.0.so.0: cannot open shared object file");
    };
    const usb = () => {
      throw new Error("Cannot find module 'usb'");
    };
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const { logger } = createLogger({ verbosity: 3, format: "text", now: () => 0, write });
    const bus = await openSystemBus(logger, { hid, usb });
    expect(await bus.devices()).toEqual([]);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("install libusb-1.0-0");
    expect(lines[1]).toContain("Trezor devices are not found");
    expect(lines[1]).toContain("npm install --include=optional");
  });

  it("list the devices of all buses, even while one of them fails", async () => {
    const [hid, web] = [new FakeBus(), new FakeBus()];
    hid.plug("a", new FakeLedger());
    web.plug("b", new FakeTrezor());
    const bus = joinBuses([hid, web]);
    const [first, second] = await bus.devices();
    expect([first?.path, second?.path]).toEqual(["a", "b"]);
    await bus.open(second as never);
    expect([hid.opened, web.opened]).toEqual([0, 1]);
    hid.failure = new Error("no HID now");
    expect((await bus.devices()).map(({ path }) => path)).toEqual(["b"]);
    web.failure = new Error("no USB now");
    await expect(bus.devices()).rejects.toThrow("no HID now");
  });
});
