import { concat } from "../../../protocol/primitives/bytes.ts";
import { ReportQueue } from "./report-queue.ts";
import type { UsbBus, UsbConnection, UsbDevice } from "./usb-bus.ts";

type NodeHid = typeof import("node-hid");
type Device = Awaited<ReturnType<NodeHid["HIDAsync"]["open"]>>;

/** In front of every report that is written, for devices that number none. @see hidapi, hid_write */
const NO_REPORT_ID = Uint8Array.of(0);

/**
 * The HID devices of the machine: all of Ledger's, and Trezor One with firmware of before 2018.
 * @throws Error when `node-hid` is not installed or its binary cannot be loaded
 */
export async function openHidBus(): Promise<UsbBus> {
  const { default: hid } = await import("node-hid");
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
}: {
  readonly path?: string | undefined;
  readonly vendorId: number;
  readonly productId: number;
  readonly interface: number;
  readonly usagePage?: number | undefined;
}): UsbDevice[] {
  return path === undefined ? [] : [{ path, vendorId, productId, interfaceNumber, usagePage }];
}

class HidConnection implements UsbConnection {
  readonly #device: Device;
  readonly #reports = new ReportQueue();

  constructor(device: Device) {
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
