import type { Timers } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { byUrl } from "../url.ts";
import type { WalletBackend } from "../wallet.ts";
import type { HardwareKind } from "./driver.ts";
import { HardwareWallet } from "./hardware-wallet.ts";
import { ledgerKind } from "./ledger/ledger-driver.ts";
import type { IsUsed } from "./self-derivation.ts";
import { trezorKind } from "./trezor/trezor-driver.ts";
import type { ResponseTimeouts } from "./usb/report-transport.ts";
import type { UsbBus, UsbDevice } from "./usb/usb-bus.ts";

/** Interval of scanning the bus. */
const SCAN_MS = 1000;
/** A device responds within milliseconds; its user may take minutes to read what it shows. */
const TIMEOUTS_MS: ResponseTimeouts = { device: 5_000, user: 180_000 };

const KINDS: readonly HardwareKind[] = [ledgerKind, trezorKind];

/** Dependencies of the hardware wallets. */
export interface HardwareWalletOptions {
  readonly bus: UsbBus;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Whether the chain knows an account; decides how far self-derivation goes. */
  readonly isUsed: IsUsed;
  readonly timeoutsMs?: ResponseTimeouts;
}

/** The wallets of all connected Ledger and Trezor devices; updated as devices are plugged in and out. */
export async function openHardwareWallets(options: HardwareWalletOptions): Promise<WalletBackend> {
  const backend = new HardwareWallets(options);
  await backend.scan();
  return backend;
}

class HardwareWallets implements WalletBackend {
  readonly #options: HardwareWalletOptions;
  #wallets: readonly HardwareWallet[] = [];
  #cancel: (() => void) | undefined;
  #isClosed = false;
  /** The last error of listing devices; logged once, not with every scan. */
  #lastError: string | undefined;

  constructor(options: HardwareWalletOptions) {
    this.#options = options;
  }

  wallets(): readonly HardwareWallet[] {
    return this.#wallets;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await Promise.all(this.#wallets.map((wallet) => wallet.close()));
    this.#wallets = [];
  }

  /**
   * Scans the bus, now and then every second; not while a device is in use, because some systems open devices to
   * list them, which breaks a Ledger's session (as go-ethereum found).
   */
  async scan(): Promise<void> {
    const devices = this.#wallets.some(({ isBusy }) => isBusy) ? undefined : await this.#devices();
    if (this.#isClosed) return;
    if (devices !== undefined) await this.#update(devices);
    this.#cancel = this.#options.timers.schedule(SCAN_MS, () => void this.scan());
  }

  async #devices(): Promise<readonly UsbDevice[] | undefined> {
    try {
      const devices = await this.#options.bus.devices();
      this.#lastError = undefined;
      return devices;
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.#lastError) this.#options.logger.warn("USB devices cannot be listed", { message });
      this.#lastError = message;
      return undefined;
    }
  }

  /** Adds and drops wallets to match the devices. */
  async #update(devices: readonly UsbDevice[]): Promise<void> {
    const { logger } = this.#options;
    const isConnected = ({ device }: HardwareWallet) => devices.some((one) => isSame(one, device));
    const [stay, gone] = [
      this.#wallets.filter(isConnected),
      this.#wallets.filter((wallet) => !isConnected(wallet)),
    ];
    const connected = devices.flatMap((device) => {
      if (stay.some((wallet) => isSame(wallet.device, device))) return [];
      const kind = KINDS.find((one) => one.matches(device));
      return kind === undefined ? [] : [this.#walletOf(device, kind)];
    });
    this.#wallets = [...stay, ...connected].sort(byUrl);
    for (const { url } of connected) logger.info("hardware wallet connected", { url });
    for (const wallet of gone) {
      logger.info("hardware wallet disconnected", { url: wallet.url });
      await wallet.close();
    }
  }

  #walletOf(device: UsbDevice, kind: HardwareKind): HardwareWallet {
    const { bus, timers, logger, isUsed, timeoutsMs = TIMEOUTS_MS } = this.#options;
    return new HardwareWallet(device, kind, { bus, timers, logger, isUsed, timeoutsMs });
  }
}

/** Whether two listings are of the same device; a Ledger's product id changes with the open app. */
function isSame(a: UsbDevice, b: UsbDevice): boolean {
  return a.path === b.path && a.vendorId === b.vendorId && a.productId === b.productId;
}
