import type { Cancel, Timers } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { EcdsaSignature } from "../../protocol/crypto/secp256k1.ts";
import { type Address, equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import { type DerivationPath, formatDerivationPath, parseDerivationPath } from "../derivation-path.ts";
import { WalletError, type WalletErrorCode, walletError } from "../errors.ts";
import {
  type MessageSignature,
  messageHash,
  messageSignature,
  type SignableMessage,
} from "../signed-message.ts";
import { hashToSign, type TransactionRequest } from "../transaction-request.ts";
import type { Wallet, WalletAccount } from "../wallet.ts";
import type { HardwareDriver, HardwareKind } from "./driver.ts";
import { matchSignature } from "./match-signature.ts";
import { type DerivedAccount, type IsUsed, SelfDerivation } from "./self-derivation.ts";
import type { ResponseTimeouts } from "./usb/report-transport.ts";
import type { UsbBus, UsbConnection, UsbDevice } from "./usb/usb-bus.ts";

/** Polling interval of an open device, as in go-ethereum. */
const POLL_MS = 1000;

/** Dependencies of a hardware wallet. */
export interface HardwareParts {
  readonly bus: UsbBus;
  readonly timers: Timers;
  readonly timeoutsMs: ResponseTimeouts;
  readonly isUsed: IsUsed;
  readonly logger: Logger;
}

/** A session with the device; not open yet while the device waits for a secret. */
interface Session {
  readonly connection: UsbConnection;
  readonly driver: HardwareDriver;
  readonly derivation: SelfDerivation;
  isOpen: boolean;
}

interface TrackedAccount extends WalletAccount {
  readonly path: DerivationPath;
}

/** Failures of a single request, after which the session continues. */
const RECOVERABLE: ReadonlySet<WalletErrorCode> = new Set([
  "CANNOT_SIGN",
  "DEVICE_APP",
  "DEVICE_FAILED",
  "DEVICE_LOCKED",
  "DEVICE_REFUSED",
]);

/**
 * The wallet of one device. Calls to the device are queued; cached information is returned at once, even
 * while the device waits for its user.
 */
export class HardwareWallet implements Wallet {
  readonly url: string;
  readonly device: UsbDevice;
  readonly #kind: HardwareKind;
  readonly #parts: HardwareParts;
  readonly #logger: Logger;
  #session: Session | undefined;
  #accounts: TrackedAccount[] = [];
  #failure: string | undefined;
  /** Resolves once all queued calls have ended. */
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #nextPoll: Cancel | undefined;
  /** Number of sessions ended, by closing or by a failure. */
  #sessionsEnded = 0;

  constructor(device: UsbDevice, kind: HardwareKind, parts: HardwareParts) {
    this.url = `${kind.scheme}://${device.path}`;
    this.device = device;
    this.#kind = kind;
    this.#parts = parts;
    this.#logger = parts.logger;
  }

  /** Whether calls to the device are queued or in progress. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  async status(): Promise<{ readonly status: string; readonly failure?: string }> {
    if (this.#failure !== undefined) return { status: `Failed: ${this.#failure}`, failure: this.#failure };
    if (this.#session === undefined) return { status: "Closed" };
    const { status, failure } = this.#session.driver;
    return { status, ...(failure !== undefined && { failure }) };
  }

  accounts(): readonly WalletAccount[] {
    return this.#accounts;
  }

  /**
   * Connects to the device, or continues with the secret that it requested.
   * @throws WalletError `DEVICE_SECRET` when it requests one, `ALREADY_OPEN`, and errors of the device
   */
  open(secret: string): Promise<void> {
    const sessionsEnded = this.#sessionsEnded;
    return this.#enqueue(async () => {
      if (this.#session?.isOpen) throw walletError("ALREADY_OPEN");
      this.#failure = undefined;
      const session = this.#session ?? (await this.#begin(sessionsEnded));
      await this.#guarded(session, ({ driver }) => driver.open(secret));
      if (this.#session !== session) throw walletError("CLOSED");
      session.isOpen = true;
      this.#logger.info("hardware wallet opened", { url: this.url, status: session.driver.status });
      this.#schedulePoll(0);
    });
  }

  async close(): Promise<void> {
    await this.#end();
  }

  /** @throws WalletError `DERIVATION_PATH`, `CLOSED`, and errors of the device */
  async derive(text: string, pin: boolean): Promise<WalletAccount> {
    const path = parseDerivationPath(text);
    return this.#withDevice(async (driver) => {
      const account = this.#accountOf({ address: await driver.address(path), path });
      if (pin) this.#track(account);
      return account;
    });
  }

  /** Devices show what they sign, and a bare hash means nothing to the user. @throws WalletError `NOT_SUPPORTED` */
  async signHash(_address: Address, _hash: Hash): Promise<never> {
    throw walletError("NOT_SUPPORTED");
  }

  async signText(address: Address, message: SignableMessage): Promise<MessageSignature> {
    const sign = (driver: HardwareDriver, path: DerivationPath) => driver.signText(path, message);
    return messageSignature(await this.#sign(address, messageHash(message), sign));
  }

  async signTransaction(address: Address, request: TransactionRequest): Promise<readonly EcdsaSignature[]> {
    const sign = (driver: HardwareDriver, path: DerivationPath) => driver.signTransaction(path, request);
    return [await this.#sign(address, hashToSign(request), sign)];
  }

  async #sign(
    address: Address,
    hash: Hash,
    request: (driver: HardwareDriver, path: DerivationPath) => Promise<Uint8Array>,
  ): Promise<EcdsaSignature> {
    const account = this.#accounts.find((one) => equalBytes(one.address, address));
    if (account === undefined) throw walletError("UNKNOWN_ACCOUNT");
    this.#logger.info("look at the hardware wallet to confirm", { url: this.url, account: account.url });
    return this.#withDevice(async (driver) =>
      matchSignature(hash, await request(driver, account.path), address),
    );
  }

  /** Queues a task that uses the open device. @throws WalletError `CLOSED` */
  #withDevice<T>(task: (driver: HardwareDriver) => Promise<T>): Promise<T> {
    return this.#enqueue(() => {
      const session = this.#session;
      if (!session?.isOpen) throw walletError("CLOSED");
      return this.#guarded(session, ({ driver }) => task(driver));
    });
  }

  async #enqueue<T>(task: () => Promise<T>): Promise<T> {
    const before = this.#queue;
    this.#waiting++;
    const run = before.then(task);
    this.#queue = run.catch(() => undefined).finally(() => this.#waiting--);
    return run;
  }

  /** Ends the session when a task fails in a way that it cannot recover from. */
  async #guarded<T>(session: Session, task: (session: Session) => Promise<T>): Promise<T> {
    try {
      return await task(session);
    } catch (error) {
      const code = error instanceof WalletError ? error.code : undefined;
      const continues = code === "DEVICE_SECRET" ? !session.isOpen : session.isOpen && isRecoverable(code);
      if (!continues && this.#session === session) await this.#end((error as Error).message);
      throw error;
    }
  }

  /** Begins a session, unless the wallet was closed after `open` was called. */
  async #begin(sessionsEnded: number): Promise<Session> {
    const session = await this.#connect();
    if (sessionsEnded !== this.#sessionsEnded) {
      await session.connection.close();
      throw walletError("CLOSED");
    }
    this.#session = session;
    return session;
  }

  async #connect(): Promise<Session> {
    const { bus, timers, timeoutsMs, isUsed } = this.#parts;
    const connection = await bus.open(this.device).catch((cause: Error) => {
      throw new WalletError("DEVICE_GONE", `cannot open ${this.url}: ${cause.message}`, {}, { cause });
    });
    const driver = this.#kind.createDriver({ connection, timers, timeoutsMs });
    return { connection, driver, derivation: new SelfDerivation(isUsed), isOpen: false };
  }

  async #end(failure?: string): Promise<void> {
    this.#sessionsEnded++;
    this.#nextPoll?.();
    this.#nextPoll = undefined;
    this.#accounts = [];
    this.#failure = failure;
    const session = this.#session;
    this.#session = undefined;
    if (failure !== undefined) this.#logger.warn("hardware wallet failed", { url: this.url, failure });
    await session?.connection.close().catch(() => undefined);
  }

  /** Schedules the next poll of the device. */
  #schedulePoll(delayMs: number): void {
    this.#nextPoll = this.#parts.timers.schedule(delayMs, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    if (this.#waiting === 0)
      await this.#withDevice((driver) => this.#refresh(driver, session)).catch(() => undefined);
    if (this.#session === session) this.#schedulePoll(POLL_MS);
  }

  async #refresh(driver: HardwareDriver, { derivation }: Session): Promise<void> {
    await driver.refresh();
    for (const account of await derivation.discover(driver)) this.#track(this.#accountOf(account));
  }

  #accountOf({ address, path }: DerivedAccount): TrackedAccount {
    return { address, url: `${this.url}/${formatDerivationPath(path)}`, path };
  }

  #track(account: TrackedAccount): void {
    if (this.#accounts.some(({ url }) => url === account.url)) return;
    this.#accounts = [...this.#accounts, account];
  }
}

function isRecoverable(code: WalletErrorCode | undefined): boolean {
  return code !== undefined && RECOVERABLE.has(code);
}
