import { WalletError, type WalletErrorCode } from "../../errors.ts";
import type { DriverParts } from "../driver.ts";
import { ReportTransport, type Responder } from "../usb/report-transport.ts";
import { MessageAssembler, messageToReports, type TrezorMessage } from "./framing.ts";
import { plain, TrezorType } from "./messages.ts";
import { Fields } from "./protobuf.ts";

/** Errors by failure code; all other codes become `DEVICE_FAILED`. */
const FAILURES: ReadonlyMap<bigint, { readonly code: WalletErrorCode; readonly text: string }> = new Map([
  [4n, { code: "DEVICE_REFUSED", text: "refused on the device" }],
  [6n, { code: "DEVICE_REFUSED", text: "the PIN entry was cancelled on the device" }],
]);

/** Whether a reply requests a secret. */
export function requestsSecret({ type }: TrezorMessage): boolean {
  return type === TrezorType.pinMatrixRequest || type === TrezorType.passphraseRequest;
}

/** Requests to a Trezor and its replies. */
export class TrezorSession {
  readonly #transport: ReportTransport;

  constructor({ connection, timers, timeoutsMs }: DriverParts) {
    this.#transport = new ReportTransport(connection, timers, timeoutsMs);
  }

  /**
   * Sends a request, acknowledging button requests in between. The message is wiped afterwards, as it may carry a secret.
   * @throws WalletError for failures that the device reports, and as `ReportTransport.exchange`
   */
  async request(message: TrezorMessage, responder: Responder = "device"): Promise<TrezorMessage> {
    let reply = await this.#exchange(message, responder);
    while (reply.type === TrezorType.buttonRequest)
      reply = await this.#exchange(plain(TrezorType.buttonAck), "user");
    if (reply.type === TrezorType.failure) throw failureOf(new Fields(reply.body));
    return reply;
  }

  /** Cancels a request that the device has suspended to request a secret. */
  async cancel(): Promise<void> {
    await this.#exchange(plain(TrezorType.cancel), "device");
  }

  async #exchange(message: TrezorMessage, responder: Responder): Promise<TrezorMessage> {
    const reports = messageToReports(message);
    try {
      return await this.#transport.exchange(reports, new MessageAssembler(), responder);
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
