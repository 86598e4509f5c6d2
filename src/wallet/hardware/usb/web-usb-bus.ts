import { createRequire } from "node:module";
import { REPORT_BYTES, type UsbBus, type UsbConnection, type UsbDevice } from "./usb-bus.ts";

const require = createRequire(import.meta.url);

/** A device that offers its wallet as a WebUSB interface instead of as HID. */
export interface WebUsbModel {
  readonly vendorId: number;
  readonly productId: number;
  readonly interfaceNumber: number;
  /** Number of the two interrupt endpoints, in and out. */
  readonly endpoint: number;
}

/** What this needs of WebUSB; `usb` gives it. @see the WebUSB API of the W3C's community group */
export interface WebUsb {
  getDevices(): Promise<readonly WebUsbDevice[]>;
}

/** A device as WebUSB gives it, and where it is plugged in. */
export interface WebUsbDevice {
  readonly vendorId: number;
  readonly productId: number;
  readonly bus: string;
  readonly address: number;
  open(): Promise<void>;
  close(): Promise<void>;
  selectConfiguration(value: number): Promise<void>;
  claimInterface(interfaceNumber: number): Promise<void>;
  transferIn(
    endpoint: number,
    length: number,
  ): Promise<{ readonly status?: string; readonly data?: DataView }>;
  transferOut(endpoint: number, report: Uint8Array): Promise<{ readonly status?: string }>;
}

/**
 * The devices of some models over WebUSB.
 * @throws Error when `usb` is not installed or cannot be loaded
 */
export async function openWebUsbBus(
  models: readonly WebUsbModel[],
  load: () => WebUsb = loadUsb,
): Promise<UsbBus> {
  const usb = load();
  await usb.getDevices();
  const modelOf = ({ vendorId, productId }: Pick<UsbDevice, "vendorId" | "productId">) =>
    models.find((model) => model.vendorId === vendorId && model.productId === productId);
  return {
    async devices() {
      return (await usb.getDevices()).flatMap((device) => {
        const model = modelOf(device);
        return model === undefined ? [] : [describe(device, model)];
      });
    },
    async open(wanted) {
      const found = (await usb.getDevices()).find((device) => pathOf(device) === wanted.path);
      const model = modelOf(wanted);
      if (found === undefined || model === undefined) throw new Error("the device is gone");
      await found.open();
      await found.selectConfiguration(1);
      await found.claimInterface(model.interfaceNumber);
      return new WebUsbConnection(found, model.endpoint);
    },
  };
}

function loadUsb(): WebUsb {
  const { WebUSB } = require("usb");
  return new WebUSB({ allowAllDevices: true });
}

/** Bus and address name a device until it is pulled out. */
function pathOf({ bus, address }: Pick<WebUsbDevice, "bus" | "address">): string {
  return `${bus}:${address}`;
}

function describe(device: WebUsbDevice, { interfaceNumber }: WebUsbModel): UsbDevice {
  const { vendorId, productId } = device;
  return { path: pathOf(device), vendorId, productId, interfaceNumber };
}

class WebUsbConnection implements UsbConnection {
  readonly #device: WebUsbDevice;
  readonly #endpoint: number;

  constructor(device: WebUsbDevice, endpoint: number) {
    this.#device = device;
    this.#endpoint = endpoint;
  }

  async write(report: Uint8Array): Promise<void> {
    const { status } = await this.#device.transferOut(this.#endpoint, Uint8Array.from(report));
    if (status !== "ok") throw new Error(`the device takes no report: ${status}`);
  }

  async read(): Promise<Uint8Array> {
    const { status, data } = await this.#device.transferIn(this.#endpoint, REPORT_BYTES);
    if (status !== "ok" || data === undefined) throw new Error(`the device gives no report: ${status}`);
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
  }

  async close(): Promise<void> {
    await this.#device.close();
  }
}
