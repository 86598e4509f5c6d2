import { createRequire } from "node:module";
import { REPORT_BYTES, type UsbBus, type UsbConnection, type UsbDevice } from "./usb-bus.ts";

const require = createRequire(import.meta.url);

/** Timeout of one transfer: a transfer cannot be cancelled, so a connection is closed between two of them. */
const TRANSFER_MS = 250;

/** A device model whose wallet is a WebUSB interface instead of HID. */
export interface WebUsbModel {
  readonly vendorId: number;
  readonly productId: number;
  readonly interfaceNumber: number;
  /** Number of both interrupt endpoints, in and out. */
  readonly endpoint: number;
}

/** The part of the WebUSB API used here, implemented by `usb`. @see https://wicg.github.io/webusb/ */
export interface WebUsb {
  getDevices(): Promise<readonly WebUsbDevice[]>;
}

/** A WebUSB device, with its bus and address, which `usb` adds. */
export interface WebUsbDevice {
  readonly vendorId: number;
  readonly productId: number;
  readonly bus: string;
  readonly address: number;
  open(): Promise<void>;
  close(): Promise<void>;
  claimInterface(interfaceNumber: number): Promise<void>;
  releaseInterface(interfaceNumber: number): Promise<void>;
  /** @throws Error with `Cancelled` in its message on timeout; `timeoutMs` is an addition of `usb` */
  transferIn(endpoint: number, length: number, timeoutMs: number): Promise<{ readonly data?: DataView }>;
  transferOut(endpoint: number, report: Uint8Array): Promise<unknown>;
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
      try {
        await found.claimInterface(model.interfaceNumber);
      } catch (error) {
        await found.close().catch(() => undefined); // else this process would keep the device locked
        throw error;
      }
      return new WebUsbConnection(found, model);
    },
  };
}

function loadUsb(): WebUsb {
  const { WebUSB } = require("usb");
  return new WebUSB({ allowAllDevices: true });
}

/** Bus and address identify a device until it is disconnected. */
function pathOf({ bus, address }: Pick<WebUsbDevice, "bus" | "address">): string {
  return `${bus}:${address}`;
}

function describe(device: WebUsbDevice, { interfaceNumber }: WebUsbModel): UsbDevice {
  const { vendorId, productId } = device;
  return { path: pathOf(device), vendorId, productId, interfaceNumber };
}

class WebUsbConnection implements UsbConnection {
  readonly #device: WebUsbDevice;
  readonly #model: WebUsbModel;
  #isClosed = false;
  /** Resolves when no transfer is in progress: only then can the interface be released. */
  #idle: Promise<unknown> = Promise.resolve();

  constructor(device: WebUsbDevice, model: WebUsbModel) {
    this.#device = device;
    this.#model = model;
  }

  async write(report: Uint8Array): Promise<void> {
    if (this.#isClosed) throw new Error("closed");
    await this.#device.transferOut(this.#model.endpoint, Uint8Array.from(report));
  }

  async read(): Promise<Uint8Array> {
    while (!this.#isClosed) {
      const transfer = this.#transfer();
      this.#idle = transfer.catch(() => undefined);
      const report = await transfer;
      if (report !== undefined) return report;
    }
    throw new Error("closed");
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#idle;
    await this.#device.releaseInterface(this.#model.interfaceNumber).catch(() => undefined);
    await this.#device.close();
  }

  /** One report, or undefined when none came for a while. */
  async #transfer(): Promise<Uint8Array | undefined> {
    try {
      const { data } = await this.#device.transferIn(this.#model.endpoint, REPORT_BYTES, TRANSFER_MS);
      if (data === undefined || data.byteLength === 0) return undefined;
      return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
    } catch (error) {
      if ((error as Error).message.includes("Cancelled")) return undefined;
      throw error;
    }
  }
}
