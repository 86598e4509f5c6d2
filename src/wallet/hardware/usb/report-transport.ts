import type { Timers } from "../../../platform/runtime/runtime.ts";
import { WalletError } from "../../errors.ts";
import type { UsbConnection } from "./usb-bus.ts";

/** Who has to act before a response comes: the device alone, or its user. */
export type Responder = "device" | "user";

/** Timeouts of a response, milliseconds. */
export type ResponseTimeouts = Readonly<Record<Responder, number>>;

/** Reassembles one response from its reports. */
export interface Assembler<T> {
  /** @returns the response, once it is complete. @throws WalletError `DEVICE_ANSWER` */
  push(report: Uint8Array): T | undefined;
}

/** Exchanges reports over a connection, with timeouts; failures become wallet errors. */
export class ReportTransport {
  readonly #connection: UsbConnection;
  readonly #timers: Timers;
  readonly #timeoutsMs: ResponseTimeouts;

  constructor(connection: UsbConnection, timers: Timers, timeoutsMs: ResponseTimeouts) {
    this.#connection = connection;
    this.#timers = timers;
    this.#timeoutsMs = timeoutsMs;
  }

  /**
   * Sends reports and reads the response.
   * @throws WalletError `DEVICE_GONE`, `DEVICE_TIMEOUT`, `DEVICE_ANSWER`; the connection is unusable afterwards
   */
  async exchange<T>(
    reports: readonly Uint8Array[],
    response: Assembler<T>,
    responder: Responder,
  ): Promise<T> {
    for (const report of reports) await deviceGone(this.#connection.write(report));
    for (;;) {
      const complete = response.push(await this.#read(responder));
      if (complete !== undefined) return complete;
    }
  }

  #read(responder: Responder): Promise<Uint8Array> {
    const limit = this.#timeoutsMs[responder];
    return new Promise((resolve, reject) => {
      const cancel = this.#timers.schedule(limit, () =>
        reject(new WalletError("DEVICE_TIMEOUT", `no response from the device within ${limit / 1000} s`)),
      );
      deviceGone(this.#connection.read()).then(resolve, reject).finally(cancel);
    });
  }
}

/** Turns a rejection into `DEVICE_GONE`. */
async function deviceGone<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (cause) {
    throw new WalletError("DEVICE_GONE", "the device was disconnected", {}, { cause });
  }
}
