import { createRequire } from "node:module";
import type { HIDAsync, Device as NodeHidDevice } from "node-hid";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { ReportQueue } from "./report-queue.ts";
import type { UsbBus, UsbConnection, UsbDevice } from "./usb-bus.ts";

const require = createRequire(import.meta.url);

/** The part of `node-hid` used here. */
export interface Hid {
  devicesAsync(): Promise<readonly HidDevice[]>;
  readonly HIDAsync: { open(path: string): Promise<HidHandle> };
}

type HidDevice = Pick<NodeHidDevice, "path" | "vendorId" | "productId" | "interface" | "usagePage">;
type HidHandle = Pick<HIDAsync, "on" | "write" | "close">;

/** Report id 0, which precedes every report to devices without numbered reports. @see hidapi, hid_write */
const NO_REPORT_ID = Uint8Array.of(0);

/**
 * The HID devices of this machine: all of Ledger's, and Trezor One with firmware from before 2018.
 * @throws Error when `node-hid` is not installed or its binary cannot be loaded
 */
export async function openHidBus(load: () => Hid = () => require("node-hid")): Promise<UsbBus> {
  const hid = load();
  await hid.devicesAsync();
  return {
    devices: async () => (await hid.devicesAsync()).flatMap(describe),
    open: async ({ path }) => new HidConnection(await hid.HIDAsync.open(path)),
  };
}

function describe({
  path,
  vendorId,
  productId,
  interface: interfaceNumber,
  usagePage,
}: HidDevice): UsbDevice[] {
  return path === undefined ? [] : [{ path, vendorId, productId, interfaceNumber, usagePage }];
}

class HidConnection implements UsbConnection {
  readonly #device: HidHandle;
  readonly #reports = new ReportQueue();

  constructor(device: HidHandle) {
    this.#device = device;
    device.on("data", (report: Buffer) => this.#reports.push(Uint8Array.from(report)));
    device.on("error", (error: Error) => this.#reports.end(error));
  }

  async write(report: Uint8Array): Promise<void> {
    await this.#device.write(Buffer.from(concat(NO_REPORT_ID, report)));
  }

  read(): Promise<Uint8Array> {
    return this.#reports.next();
  }

  async close(): Promise<void> {
    this.#reports.end(new Error("closed"));
    await this.#device.close();
  }
}
