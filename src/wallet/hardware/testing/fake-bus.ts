import { ReportQueue } from "../usb/report-queue.ts";
import type { UsbBus, UsbConnection, UsbDevice } from "../usb/usb-bus.ts";

/** A software device: takes reports and responds with reports. */
export interface FakeDevice {
  readonly vendorId: number;
  productId: number;
  /** @returns the reports of the response; none while a command is incomplete */
  receive(report: Uint8Array): Promise<readonly Uint8Array[]>;
  /** A new connection: discards an incomplete command. */
  reset(): void;
}

/** A USB bus whose devices tests plug in and pull out. */
export class FakeBus implements UsbBus {
  readonly #plugged = new Map<string, FakeDevice>();
  readonly #connections = new Map<string, FakeConnection>();
  /** Set to make listing fail. */
  failure: Error | undefined;
  /** Connections made so far. */
  opened = 0;

  get openConnections(): number {
    return this.#connections.size;
  }

  plug(path: string, device: FakeDevice): void {
    this.#plugged.set(path, device);
  }

  /** Disconnects a device, even in the middle of a command. */
  unplug(path: string): void {
    this.#plugged.delete(path);
    this.#connections.get(path)?.cut("the cable was pulled");
  }

  async devices(): Promise<readonly UsbDevice[]> {
    if (this.failure !== undefined) throw this.failure;
    return [...this.#plugged].map(([path, { vendorId, productId }]) => ({
      path,
      vendorId,
      productId,
      interfaceNumber: 0,
    }));
  }

  async open({ path }: UsbDevice): Promise<UsbConnection> {
    const device = this.#plugged.get(path);
    if (device === undefined) throw new Error("no such device");
    if (this.#connections.has(path)) throw new Error("the device is in use");
    this.opened++;
    device.reset();
    const connection = new FakeConnection(device, () => this.#connections.delete(path));
    this.#connections.set(path, connection);
    return connection;
  }
}

class FakeConnection implements UsbConnection {
  readonly #device: FakeDevice;
  readonly #onEnd: () => void;
  readonly #reports = new ReportQueue();
  #reason: Error | undefined;

  constructor(device: FakeDevice, onEnd: () => void) {
    this.#device = device;
    this.#onEnd = onEnd;
  }

  /** Does not wait for the response, which may depend on the user. */
  async write(report: Uint8Array): Promise<void> {
    if (this.#reason !== undefined) throw this.#reason;
    void this.#device.receive(Uint8Array.from(report)).then((answer) => {
      for (const one of answer) this.#reports.push(one);
    });
  }

  read(): Promise<Uint8Array> {
    return this.#reports.next();
  }

  async close(): Promise<void> {
    this.cut("closed");
  }

  cut(text: string): void {
    this.#reason ??= new Error(text);
    this.#reports.end(this.#reason);
    this.#onEnd();
  }
}
