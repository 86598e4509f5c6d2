import type { Timers } from "../../../platform/runtime/runtime.ts";
import { WalletError } from "../../errors.ts";
import type { UsbConnection } from "./usb-bus.ts";

/** For whom an answer waits: the device alone, or a person who looks at it. */
export type Patience = "device" | "person";

/** Longest waits for a report, in milliseconds. */
export type PatienceMs = Readonly<Record<Patience, number>>;

/** Puts the reports of one answer together. */
export interface Assembler<T> {
  /** @returns the answer, once it is whole. @throws WalletError `DEVICE_ANSWER` */
  push(report: Uint8Array): T | undefined;
}

/** A connection whose failures are wallet errors and whose waits end. */
export class ReportLine {
  readonly #connection: UsbConnection;
  readonly #timers: Timers;
  readonly #patienceMs: PatienceMs;

  constructor(connection: UsbConnection, timers: Timers, patienceMs: PatienceMs) {
    this.#connection = connection;
    this.#timers = timers;
    this.#patienceMs = patienceMs;
  }

  /**
   * Sends reports and gathers the answer.
   * @throws WalletError `DEVICE_GONE`, `DEVICE_TIMEOUT`, `DEVICE_ANSWER`; the line is of no use afterwards
   */
  async exchange<T>(reports: readonly Uint8Array[], answer: Assembler<T>, patience: Patience): Promise<T> {
    for (const report of reports) await gone(this.#connection.write(report));
    for (;;) {
      const whole = answer.push(await this.#read(patience));
      if (whole !== undefined) return whole;
    }
  }

  #read(patience: Patience): Promise<Uint8Array> {
    const limit = this.#patienceMs[patience];
    return new Promise((resolve, reject) => {
      const cancel = this.#timers.schedule(limit, () =>
        reject(new WalletError("DEVICE_TIMEOUT", `no answer from the device in ${limit / 1000} s`)),
      );
      gone(this.#connection.read()).then(resolve, reject).finally(cancel);
    });
  }
}

/** The same promise; its failure means that the device is gone. */
async function gone<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (cause) {
    throw new WalletError("DEVICE_GONE", "the device was disconnected", {}, { cause });
  }
}
