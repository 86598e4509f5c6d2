import type { Timers } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { byUrl } from "../url.ts";
import type { WalletBackend } from "../wallet.ts";
import type { HardwareKind } from "./driver.ts";
import { HardwareWallet } from "./hardware-wallet.ts";
import { ledgerKind } from "./ledger/ledger-driver.ts";
import type { IsUsed } from "./self-derivation.ts";
import { trezorKind } from "./trezor/trezor-driver.ts";
import type { PatienceMs } from "./usb/report-line.ts";
import type { UsbBus, UsbDevice } from "./usb/usb-bus.ts";

/** Time between two looks at the bus. */
const SCAN_MS = 1000;
/** A device answers within milliseconds; a person may read what it shows for minutes. */
const TIMEOUT_MS: PatienceMs = { device: 5_000, person: 180_000 };

const KINDS: readonly HardwareKind[] = [ledgerKind, trezorKind];

/** What hardware wallets need. */
export interface HardwareWalletOptions {
  readonly bus: UsbBus;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Whether the chain knows an account; decides how far accounts are looked for. */
  readonly isUsed: IsUsed;
  readonly patienceMs?: PatienceMs;
}

/** The wallets of all Ledger and Trezor devices that are plugged in; they come and go as the devices do. */
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
  /** Said once, not with every look. */
  #complaint: string | undefined;

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
   * Looks at the bus, now and then every second; not while a device is at work, because some machines open devices to
   * list them, which breaks a Ledger's conversation (go-ethereum found it so).
   */
  async scan(): Promise<void> {
    const devices = this.#wallets.some(({ isBusy }) => isBusy) ? undefined : await this.#devices();
    if (this.#isClosed) return;
    if (devices !== undefined) await this.#follow(devices);
    this.#cancel = this.#options.timers.schedule(SCAN_MS, () => void this.scan());
  }

  async #devices(): Promise<readonly UsbDevice[] | undefined> {
    try {
      const devices = await this.#options.bus.devices();
      this.#complaint = undefined;
      return devices;
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.#complaint) this.#options.logger.warn("USB devices cannot be listed", { message });
      this.#complaint = message;
      return undefined;
    }
  }

  /** Adds and drops wallets until they are those of the devices. */
  async #follow(devices: readonly UsbDevice[]): Promise<void> {
    const { logger } = this.#options;
    const isThere = ({ device }: HardwareWallet) => devices.some((one) => isSame(one, device));
    const [stay, gone] = [this.#wallets.filter(isThere), this.#wallets.filter((wallet) => !isThere(wallet))];
    const arrived = devices.flatMap((device) => {
      if (stay.some((wallet) => isSame(wallet.device, device))) return [];
      const kind = KINDS.find((one) => one.matches(device));
      return kind === undefined ? [] : [this.#walletOf(device, kind)];
    });
    this.#wallets = [...stay, ...arrived].sort(byUrl);
    for (const { url } of arrived) logger.info("hardware wallet arrived", { url });
    for (const wallet of gone) {
      logger.info("hardware wallet dropped", { url: wallet.url });
      await wallet.close();
    }
  }

  #walletOf(device: UsbDevice, kind: HardwareKind): HardwareWallet {
    const { bus, timers, logger, isUsed, patienceMs = TIMEOUT_MS } = this.#options;
    return new HardwareWallet(device, kind, { bus, timers, logger, isUsed, patienceMs });
  }
}

/** Whether two lists show the same device; another app on a Ledger has another product id. */
function isSame(a: UsbDevice, b: UsbDevice): boolean {
  return a.path === b.path && a.vendorId === b.vendorId && a.productId === b.productId;
}
