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
import { fitSignature } from "./fit-signature.ts";
import { type DerivedAccount, type IsUsed, SelfDerivation } from "./self-derivation.ts";
import type { PatienceMs } from "./usb/report-line.ts";
import type { UsbBus, UsbConnection, UsbDevice } from "./usb/usb-bus.ts";

/** Polling interval of an open device, as in go-ethereum. */
const HEARTBEAT_MS = 1000;

/** What the wallets of all devices share. */
export interface HardwareParts {
  readonly bus: UsbBus;
  readonly timers: Timers;
  readonly patienceMs: PatienceMs;
  readonly isUsed: IsUsed;
  readonly logger: Logger;
}

/** A conversation with the device; not open yet while the device waits for a secret. */
interface Session {
  readonly connection: UsbConnection;
  readonly driver: HardwareDriver;
  readonly search: SelfDerivation;
  isOpen: boolean;
}

interface TrackedAccount extends WalletAccount {
  readonly path: DerivationPath;
}

/** Failures of what was asked, after which the device is as good as before. */
const HARMLESS: ReadonlySet<WalletErrorCode> = new Set([
  "CANNOT_SIGN",
  "DEVICE_APP",
  "DEVICE_FAILED",
  "DEVICE_LOCKED",
  "DEVICE_REFUSED",
]);

/**
 * The wallet of one device. Whatever needs the device waits for its turn; known facts are returned at once, also
 * while a person is looking at the device.
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
  /** Ends when nobody waits for the device. */
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #heartbeat: Cancel | undefined;
  /** How often it was closed or broke off. */
  #ends = 0;

  constructor(device: UsbDevice, kind: HardwareKind, parts: HardwareParts) {
    this.url = `${kind.scheme}://${device.path}`;
    this.device = device;
    this.#kind = kind;
    this.#parts = parts;
    this.#logger = parts.logger;
  }

  /** Whether a call is waiting for the device. */
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
   * @throws WalletError `DEVICE_SECRET` when it asks for one, `ALREADY_OPEN`, and what the device says
   */
  open(secret: string): Promise<void> {
    const ends = this.#ends;
    return this.#inTurn(async () => {
      if (this.#session?.isOpen) throw walletError("ALREADY_OPEN");
      this.#failure = undefined;
      const session = this.#session ?? (await this.#begin(ends));
      await this.#guarded(session, ({ driver }) => driver.open(secret));
      if (this.#session !== session) throw walletError("CLOSED");
      session.isOpen = true;
      this.#logger.info("hardware wallet opened", { url: this.url, status: session.driver.status });
      this.#beatAfter(0);
    });
  }

  async close(): Promise<void> {
    await this.#end();
  }

  /** @throws WalletError `DERIVATION_PATH`, `CLOSED`, and what the device says */
  async derive(text: string, pin: boolean): Promise<WalletAccount> {
    const path = parseDerivationPath(text);
    return this.#talk(async (driver) => {
      const account = this.#accountOf({ address: await driver.address(path), path });
      if (pin) this.#track(account);
      return account;
    });
  }

  /** Devices show what they sign, and a hash says nothing. @throws WalletError `NOT_SUPPORTED` */
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
    ask: (driver: HardwareDriver, path: DerivationPath) => Promise<Uint8Array>,
  ): Promise<EcdsaSignature> {
    const account = this.#accounts.find((one) => equalBytes(one.address, address));
    if (account === undefined) throw walletError("UNKNOWN_ACCOUNT");
    this.#logger.info("look at the hardware wallet to confirm", { url: this.url, account: account.url });
    return this.#talk(async (driver) => fitSignature(hash, await ask(driver, account.path), address));
  }

  /** Lets a task use the open device, after the ones before. @throws WalletError `CLOSED` */
  #talk<T>(task: (driver: HardwareDriver) => Promise<T>): Promise<T> {
    return this.#inTurn(() => {
      const session = this.#session;
      if (!session?.isOpen) throw walletError("CLOSED");
      return this.#guarded(session, ({ driver }) => task(driver));
    });
  }

  async #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    this.#waiting++;
    const run = before.then(task);
    this.#turn = run.catch(() => undefined).finally(() => this.#waiting--);
    return run;
  }

  /** Ends the conversation when it fails in a way from which it cannot go on. */
  async #guarded<T>(session: Session, task: (session: Session) => Promise<T>): Promise<T> {
    try {
      return await task(session);
    } catch (error) {
      const code = error instanceof WalletError ? error.code : undefined;
      const goesOn = code === "DEVICE_SECRET" ? !session.isOpen : session.isOpen && isHarmless(code);
      if (!goesOn && this.#session === session) await this.#end((error as Error).message);
      throw error;
    }
  }

  /** A new session, unless the wallet was closed since it was asked to open. */
  async #begin(ends: number): Promise<Session> {
    const session = await this.#connect();
    if (ends !== this.#ends) {
      await session.connection.close();
      throw walletError("CLOSED");
    }
    this.#session = session;
    return session;
  }

  async #connect(): Promise<Session> {
    const { bus, timers, patienceMs, isUsed } = this.#parts;
    const connection = await bus.open(this.device).catch((cause: Error) => {
      throw new WalletError("DEVICE_GONE", `cannot open ${this.url}: ${cause.message}`, {}, { cause });
    });
    const driver = this.#kind.createDriver({ connection, timers, patienceMs });
    return { connection, driver, search: new SelfDerivation(isUsed), isOpen: false };
  }

  async #end(failure?: string): Promise<void> {
    this.#ends++;
    this.#heartbeat?.();
    this.#heartbeat = undefined;
    this.#accounts = [];
    this.#failure = failure;
    const session = this.#session;
    this.#session = undefined;
    if (failure !== undefined) this.#logger.warn("hardware wallet failed", { url: this.url, failure });
    await session?.connection.close().catch(() => undefined);
  }

  /** Checks on the device now and then, when nobody else talks to it. */
  #beatAfter(delayMs: number): void {
    this.#heartbeat = this.#parts.timers.schedule(delayMs, () => void this.#beat());
  }

  async #beat(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    if (this.#waiting === 0)
      await this.#talk((driver) => this.#lookAfter(driver, session)).catch(() => undefined);
    if (this.#session === session) this.#beatAfter(HEARTBEAT_MS);
  }

  async #lookAfter(driver: HardwareDriver, { search }: Session): Promise<void> {
    await driver.refresh();
    for (const account of await search.next(driver)) this.#track(this.#accountOf(account));
  }

  #accountOf({ address, path }: DerivedAccount): TrackedAccount {
    return { address, url: `${this.url}/${formatDerivationPath(path)}`, path };
  }

  #track(account: TrackedAccount): void {
    if (this.#accounts.some(({ url }) => url === account.url)) return;
    this.#accounts = [...this.#accounts, account];
  }
}

function isHarmless(code: WalletErrorCode | undefined): boolean {
  return code !== undefined && HARMLESS.has(code);
}
