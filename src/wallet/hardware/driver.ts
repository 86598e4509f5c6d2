import type { Timers } from "../../platform/runtime/runtime.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import type { DerivationPath } from "../derivation-path.ts";
import type { SignableMessage } from "../signed-message.ts";
import type { TransactionRequest } from "../transaction-request.ts";
import type { ResponseTimeouts } from "./usb/report-transport.ts";
import type { UsbConnection, UsbDevice } from "./usb/usb-bus.ts";

/** Implements the protocol of one kind of device. Calls come one at a time. */
export interface HardwareDriver {
  /** As in go-ethereum, such as `Ethereum app v1.9.0 online`. */
  readonly status: string;
  /** Why the device cannot be used though it is connected: locked, or no app is open. */
  readonly failure: string | undefined;
  /** Base paths of the search for accounts (self-derivation); none while the device cannot be used. */
  readonly bases: readonly DerivationPath[];
  /**
   * Opens the session, or continues opening it with the secret that the device requested.
   * @throws WalletError `DEVICE_SECRET` when the device requests one; call `open` again with it
   */
  open(secret: string): Promise<void>;
  /** Checks whether the device is still connected, and updates its status. */
  refresh(): Promise<void>;
  address(path: DerivationPath): Promise<Address>;
  /** @returns r and s, 32 bytes each; the caller determines the recovery bit */
  signTransaction(path: DerivationPath, request: TransactionRequest): Promise<Uint8Array>;
  /** @returns as `signTransaction` */
  signText(path: DerivationPath, message: SignableMessage): Promise<Uint8Array>;
}

/** Dependencies of a driver. */
export interface DriverParts {
  readonly connection: UsbConnection;
  readonly timers: Timers;
  readonly timeoutsMs: ResponseTimeouts;
}

/** The devices of one vendor. */
export interface HardwareKind {
  /** URL scheme of the wallets. */
  readonly scheme: "ledger" | "trezor";
  matches(device: UsbDevice): boolean;
  createDriver(parts: DriverParts): HardwareDriver;
}
