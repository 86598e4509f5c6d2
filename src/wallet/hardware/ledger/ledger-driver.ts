import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { DerivationPath } from "../../derivation-path.ts";
import { WalletError } from "../../errors.ts";
import type { SignableMessage } from "../../signed-message.ts";
import type { TransactionRequest } from "../../transaction-request.ts";
import type { DriverParts, HardwareDriver, HardwareKind } from "../driver.ts";
import { ReportTransport } from "../usb/report-transport.ts";
import type { UsbDevice } from "../usb/usb-bus.ts";
import { probeEthereumApp } from "./ethereum-app.ts";
import { probeFirstKlaytnApp, probeKlaytnApp } from "./klaytn-app.ts";
import type { AppProbe, LedgerApp } from "./ledger-app.ts";

const VENDOR = 0x2c97;
/** HID usage page of the interface that takes commands, where the system reports it. */
const USAGE_PAGE = 0xffa0;

/** In the order in which they are tried. */
const PROBES: readonly AppProbe[] = [probeEthereumApp, probeKlaytnApp, probeFirstKlaytnApp];

/** Ledger's devices, all models. */
export const ledgerKind: HardwareKind = {
  scheme: "ledger",
  matches: ({ vendorId, interfaceNumber, usagePage }: UsbDevice) =>
    vendorId === VENDOR && (usagePage ? usagePage === USAGE_PAGE : interfaceNumber === 0),
  createDriver: (parts) => new LedgerDriver(parts),
};

/** A Ledger. It requests no secret: its PIN is entered on the device. */
class LedgerDriver implements HardwareDriver {
  readonly #transport: ReportTransport;
  #app: LedgerApp | undefined;
  #probe: AppProbe | undefined;
  #failure: string | undefined;
  /** The device is in use by a browser and uses another framing. */
  #inBrowser = false;

  constructor({ connection, timers, timeoutsMs }: DriverParts) {
    this.#transport = new ReportTransport(connection, timers, timeoutsMs);
  }

  get status(): string {
    if (this.#app !== undefined) return `${this.#app.name} app v${this.#app.version.join(".")} online`;
    return this.#inBrowser ? "Ethereum app in browser mode" : "Ethereum app offline";
  }

  get failure(): string | undefined {
    return this.#failure;
  }

  get bases(): readonly DerivationPath[] {
    return this.#app?.bases ?? [];
  }

  open(): Promise<void> {
    return this.refresh();
  }

  /** Detects the open app; none is not an error. */
  async refresh(): Promise<void> {
    const known = this.#app && this.#probe;
    try {
      this.#app = (known && (await unlessRefused(known(this.#transport)))) ?? (await this.#findApp());
      this.#failure = undefined;
      this.#inBrowser = false;
    } catch (error) {
      this.#app = undefined;
      if (!isOffline(error)) throw error;
      this.#inBrowser = error.details["header"] === true;
      this.#failure = error.message;
    }
  }

  async address(path: DerivationPath): Promise<Address> {
    return (await this.#openApp()).address(path);
  }

  async signTransaction(path: DerivationPath, request: TransactionRequest): Promise<Uint8Array> {
    return (await this.#openApp()).signTransaction(path, request);
  }

  async signText(path: DerivationPath, message: SignableMessage): Promise<Uint8Array> {
    return (await this.#openApp()).signText(path, message);
  }

  /** The open app, detected now if none was known. @throws WalletError `DEVICE_APP` */
  async #openApp(): Promise<LedgerApp> {
    if (this.#app === undefined) await this.refresh();
    if (this.#app === undefined)
      throw new WalletError("DEVICE_APP", this.#failure ?? "ledger: no app is open on the device");
    return this.#app;
  }

  async #findApp(): Promise<LedgerApp> {
    for (const probe of PROBES) {
      const app = await unlessRefused(probe(this.#transport));
      if (app === undefined) continue;
      this.#probe = probe;
      return app;
    }
    throw new WalletError("DEVICE_APP", "ledger: open the Klaytn or the Ethereum app on the device");
  }
}

/** Undefined when the open app does not know the command: it is another one. */
async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    const isStatus = error instanceof WalletError && "status" in error.details;
    if (isStatus && error.code !== "DEVICE_LOCKED") return undefined;
    throw error;
  }
}

/** Whether the device is connected but needs an action of its user first. */
function isOffline(error: unknown): error is WalletError {
  if (!(error instanceof WalletError)) return false;
  return error.code === "DEVICE_LOCKED" || error.code === "DEVICE_APP" || error.details["header"] === true;
}
