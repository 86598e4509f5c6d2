/** Size of every report, bytes. */
export const REPORT_BYTES = 64;

/** A connected device, as the system lists it. */
export interface UsbDevice {
  /** Identifies the device while it stays connected; the path of its wallet's URL. */
  readonly path: string;
  readonly vendorId: number;
  readonly productId: number;
  /** Number of the interface; −1 where the system does not report it. */
  readonly interfaceNumber: number;
  /** HID usage page, where the system reports it. */
  readonly usagePage?: number | undefined;
}

/** A connection to a device; reports have `REPORT_BYTES`. */
export interface UsbConnection {
  write(report: Uint8Array): Promise<void>;
  /** The next report of the device; waits for it. @throws Error when the device is gone or `close` was called */
  read(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Access to USB devices; replaced by a fake in tests. */
export interface UsbBus {
  devices(): Promise<readonly UsbDevice[]>;
  /** @throws Error when the device is gone, in use, or may not be used by this user */
  open(device: UsbDevice): Promise<UsbConnection>;
}
