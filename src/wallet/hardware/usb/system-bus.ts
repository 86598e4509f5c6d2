import type { Logger } from "../../../platform/telemetry/logger.ts";
import { type Hid, openHidBus } from "./hid-bus.ts";
import type { UsbBus, UsbDevice } from "./usb-bus.ts";
import { openWebUsbBus, type WebUsb, type WebUsbModel } from "./web-usb-bus.ts";

/** Trezor One since firmware 1.7, Model T and Safe. */
const WEB_USB_MODELS: readonly WebUsbModel[] = [
  { vendorId: 0x1209, productId: 0x53c1, interfaceNumber: 0, endpoint: 1 },
];

/** Where the packages come from; by default from where they are installed. */
interface Loaders {
  readonly hid?: () => Hid;
  readonly usb?: () => WebUsb;
}

/**
 * The USB devices of this machine. Whatever cannot be loaded is said in one line of the log, and its devices are not
 * found.
 */
export async function openSystemBus(logger: Logger, load: Loaders = {}): Promise<UsbBus> {
  const buses = await Promise.all([
    available(openHidBus(load.hid), "Ledger devices are not found: node-hid does not load", logger),
    available(
      openWebUsbBus(WEB_USB_MODELS, load.usb),
      "Trezor devices are not found: usb does not load",
      logger,
    ),
  ]);
  return joinBuses(buses.filter((bus) => bus !== undefined));
}

async function available(
  bus: Promise<UsbBus>,
  complaint: string,
  logger: Logger,
): Promise<UsbBus | undefined> {
  try {
    return await bus;
  } catch (error) {
    const [reason = ""] = (error as Error).message.split("\n");
    const help = helpFor(reason);
    logger.warn(complaint, { reason, ...(help !== undefined && { help }) });
    return undefined;
  }
}

function helpFor(reason: string): string | undefined {
  if (reason.includes("libusb")) return "install libusb-1.0-0 of your system";
  if (reason.startsWith("Cannot find"))
    return "install kairn with its optional packages: npm install --include=optional";
  return undefined;
}

/** One bus out of several; each device is opened where it was listed. It fails when all of them do. */
export function joinBuses(buses: readonly UsbBus[]): UsbBus {
  const origins = new WeakMap<UsbDevice, UsbBus>();
  return {
    async devices() {
      const lists = await Promise.allSettled(buses.map((bus) => bus.devices()));
      const failed = lists.find((list) => list.status === "rejected");
      if (failed !== undefined && lists.every(({ status }) => status === "rejected")) throw failed.reason;
      return lists.flatMap((list, i) => {
        const devices = list.status === "fulfilled" ? list.value : [];
        for (const device of devices) origins.set(device, buses[i] as UsbBus);
        return devices;
      });
    },
    async open(device) {
      const bus = origins.get(device);
      if (bus === undefined) throw new Error("the device is gone");
      return bus.open(device);
    },
  };
}
