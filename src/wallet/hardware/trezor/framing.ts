import { allocateBytes, concat } from "../../../protocol/primitives/bytes.ts";
import { WalletError } from "../../errors.ts";
import type { Assembler } from "../usb/report-transport.ts";
import { REPORT_BYTES } from "../usb/usb-bus.ts";

/** First byte of every report, `?`. */
const REPORT_MARK = 0x3f;
/** First bytes of a message, `##`; its type (2 bytes) and length (4) follow. */
const MESSAGE_MARK = Uint8Array.of(0x23, 0x23);
const HEADER_BYTES = MESSAGE_MARK.length + 6;
/** Maximum body of a message, bytes. */
const MAX_BODY = 0x10000;

/** A message; the body is in Protocol Buffers. */
export interface TrezorMessage {
  readonly type: number;
  readonly body: Uint8Array;
}

/** Splits a message into reports, protocol version 1; the last one is zero-padded. */
export function messageToReports({ type, body }: TrezorMessage): Uint8Array[] {
  const header = new Uint8Array(HEADER_BYTES);
  header.set(MESSAGE_MARK);
  const view = new DataView(header.buffer);
  view.setUint16(2, type);
  view.setUint32(4, body.length);
  const stream = concat(header, body);
  const capacity = REPORT_BYTES - 1;
  return Array.from({ length: Math.ceil(stream.length / capacity) }, (_, i) => {
    const report = allocateBytes(REPORT_BYTES).fill(0);
    report[0] = REPORT_MARK;
    report.set(stream.subarray(i * capacity, (i + 1) * capacity), 1);
    return report;
  });
}

/** Reassembles a message from its reports. */
export class MessageAssembler implements Assembler<TrezorMessage> {
  #stream: Uint8Array = new Uint8Array(0);

  /** @throws WalletError `DEVICE_ANSWER` for another protocol, as the newest models have */
  push(report: Uint8Array): TrezorMessage | undefined {
    if (report.length !== REPORT_BYTES || report[0] !== REPORT_MARK) throw notSupported();
    this.#stream = concat(this.#stream, report.subarray(1));
    if (MESSAGE_MARK.some((byte, i) => this.#stream[i] !== byte)) throw notSupported();
    const view = new DataView(this.#stream.buffer, this.#stream.byteOffset);
    const length = view.getUint32(4);
    if (length > MAX_BODY) throw notSupported();
    if (this.#stream.length < HEADER_BYTES + length) return undefined;
    return { type: view.getUint16(2), body: this.#stream.slice(HEADER_BYTES, HEADER_BYTES + length) };
  }
}

function notSupported(): WalletError {
  return new WalletError(
    "DEVICE_ANSWER",
    "trezor: not supported: the device does not speak protocol version 1",
  );
}
