/** Bytes of every report that wallets and hosts send each other. */
export const REPORT_BYTES = 64;

/** A device that is plugged in, as the machine lists it. */
export interface UsbDevice {
  /** Names the device while it stays plugged in; the path of its wallet's URL. */
  readonly path: string;
  readonly vendorId: number;
  readonly productId: number;
  /** Number of the interface, where the machine tells it; −1 where not. */
  readonly interfaceNumber: number;
  /** HID usage page, where the machine tells it. */
  readonly usagePage?: number | undefined;
}

/** A conversation with a device in reports of `REPORT_BYTES`. */
export interface UsbConnection {
  write(report: Uint8Array): Promise<void>;
  /** The next report of the device; waits for it. @throws Error when the device is gone or `close` was called */
  read(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** What the machine gives of its USB devices; fakes take its place in tests. */
export interface UsbBus {
  devices(): Promise<readonly UsbDevice[]>;
  /** @throws Error when the device is gone, in use, or may not be used by this user */
  open(device: UsbDevice): Promise<UsbConnection>;
}
