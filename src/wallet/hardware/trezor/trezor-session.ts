import { WalletError, type WalletErrorCode } from "../../errors.ts";
import type { DriverParts } from "../driver.ts";
import { type Patience, ReportLine } from "../usb/report-line.ts";
import { MessageAssembler, messageToReports, type TrezorMessage } from "./framing.ts";
import { plain, TrezorType } from "./messages.ts";
import { Fields } from "./protobuf.ts";

/** What the codes of failures mean for the caller; all others are the device's own business. */
const FAILURES: ReadonlyMap<bigint, { readonly code: WalletErrorCode; readonly text: string }> = new Map([
  [4n, { code: "DEVICE_REFUSED", text: "refused on the device" }],
  [6n, { code: "DEVICE_REFUSED", text: "the entry of the PIN was ended on the device" }],
]);

/** Replies that request a secret. */
export function asksForSecret({ type }: TrezorMessage): boolean {
  return type === TrezorType.pinMatrixRequest || type === TrezorType.passphraseRequest;
}

/** Questions and answers over the line to a Trezor. */
export class TrezorSession {
  readonly #line: ReportLine;

  constructor({ connection, timers, patienceMs }: DriverParts) {
    this.#line = new ReportLine(connection, timers, patienceMs);
  }

  /**
   * Asks, letting the device ask its owner in between. A message that carries a secret is wiped behind itself.
   * @throws WalletError for failures that the device reports, and as `ReportLine.exchange`
   */
  async ask(message: TrezorMessage, patience: Patience = "device"): Promise<TrezorMessage> {
    let reply = await this.#exchange(message, patience);
    while (reply.type === TrezorType.buttonRequest)
      reply = await this.#exchange(plain(TrezorType.buttonAck), "person");
    if (reply.type === TrezorType.failure) throw failureOf(new Fields(reply.body));
    return reply;
  }

  /** Takes back a question that the device answered with one for a secret. */
  async cancel(): Promise<void> {
    await this.#exchange(plain(TrezorType.cancel), "device");
  }

  async #exchange(message: TrezorMessage, patience: Patience): Promise<TrezorMessage> {
    const reports = messageToReports(message);
    try {
      return await this.#line.exchange(reports, new MessageAssembler(), patience);
    } finally {
      for (const bytes of [message.body, ...reports]) bytes.fill(0);
    }
  }
}

function failureOf(fields: Fields): WalletError {
  const known = FAILURES.get(fields.uint(1));
  const text = known?.text ?? (fields.text(2) || `failure ${fields.uint(1)}`);
  return new WalletError(known?.code ?? "DEVICE_FAILED", `trezor: ${text}`);
}
