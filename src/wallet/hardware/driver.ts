import type { Timers } from "../../platform/runtime/runtime.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import type { DerivationPath } from "../derivation-path.ts";
import type { SignableMessage } from "../signed-message.ts";
import type { TransactionRequest } from "../transaction-request.ts";
import type { PatienceMs } from "./usb/report-line.ts";
import type { UsbConnection, UsbDevice } from "./usb/usb-bus.ts";

/** Speaks the language of one kind of device. Calls come one at a time. */
export interface HardwareDriver {
  /** In the words of go-ethereum, such as `Ethereum app v1.9.0 online`. */
  readonly status: string;
  /** Why the device cannot be used though it is connected: locked, or no app is open. */
  readonly failure: string | undefined;
  /** Paths from which the device's accounts are looked for; none while it cannot be used. */
  readonly bases: readonly DerivationPath[];
  /**
   * Begins the conversation, or continues it with the secret that the device requested.
   * @throws WalletError `DEVICE_SECRET` when the device asks for one; `open` is to be called again with it
   */
  open(secret: string): Promise<void>;
  /** Looks whether the device is still there and what it can do now. */
  refresh(): Promise<void>;
  address(path: DerivationPath): Promise<Address>;
  /** @returns r and s, 32 bytes each; which of two keys they belong to is for the caller to see */
  signTransaction(path: DerivationPath, request: TransactionRequest): Promise<Uint8Array>;
  /** @returns as `signTransaction` */
  signText(path: DerivationPath, message: SignableMessage): Promise<Uint8Array>;
}

/** What drivers get from outside. */
export interface DriverParts {
  readonly connection: UsbConnection;
  readonly timers: Timers;
  readonly patienceMs: PatienceMs;
}

/** One maker's devices. */
export interface HardwareKind {
  /** Of the wallets' URLs. */
  readonly scheme: "ledger" | "trezor";
  matches(device: UsbDevice): boolean;
  createDriver(parts: DriverParts): HardwareDriver;
}
