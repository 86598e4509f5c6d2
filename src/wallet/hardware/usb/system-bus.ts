import type { Logger } from "../../../platform/telemetry/logger.ts";
import { type Hid, openHidBus } from "./hid-bus.ts";
import type { UsbBus, UsbDevice } from "./usb-bus.ts";
import { openWebUsbBus, type WebUsb, type WebUsbModel } from "./web-usb-bus.ts";

/** Trezor One since firmware 1.7, Model T and Safe. */
const WEB_USB_MODELS: readonly WebUsbModel[] = [
  { vendorId: 0x1209, productId: 0x53c1, interfaceNumber: 0, endpoint: 1 },
];

/** Loaders of the optional packages; by default they are required. */
interface Loaders {
  readonly hid?: () => Hid;
  readonly usb?: () => WebUsb;
}

/**
 * The USB devices of this machine. A package that cannot be loaded is logged in one line, and its devices are not found.
 */
export async function openSystemBus(logger: Logger, load: Loaders = {}): Promise<UsbBus> {
  const buses = await Promise.all([
    openOrWarn(openHidBus(load.hid), "Ledger devices are not found: node-hid does not load", logger),
    openOrWarn(
      openWebUsbBus(WEB_USB_MODELS, load.usb),
      "Trezor devices are not found: usb does not load",
      logger,
    ),
  ]);
  return joinBuses(buses.filter((bus) => bus !== undefined));
}

async function openOrWarn(
  bus: Promise<UsbBus>,
  warning: string,
  logger: Logger,
): Promise<UsbBus | undefined> {
  try {
    return await bus;
  } catch (error) {
    const [reason = ""] = (error as Error).message.split("\n");
    const help = helpFor(reason);
    logger.warn(warning, { reason, ...(help !== undefined && { help }) });
    return undefined;
  }
}

function helpFor(reason: string): string | undefined {
  if (reason.includes("libusb")) return "install libusb-1.0-0 of your system";
  if (reason.startsWith("Cannot find"))
    return "install kairn with its optional packages: npm install --include=optional";
  return undefined;
}

/** Combines buses into one; each device is opened on the bus that listed it. Listing fails only when it fails on all of them. */
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
