import { allocateBytes, concat } from "../../../protocol/primitives/bytes.ts";
import { WalletError } from "../../errors.ts";
import type { Assembler } from "../usb/report-transport.ts";
import { REPORT_BYTES } from "../usb/usb-bus.ts";

/** Channel 0x0101, tag 5: precedes the sequence number in every report. */
const HEADER = Uint8Array.of(0x01, 0x01, 0x05);
const HEADER_BYTES = HEADER.length + 2;

/**
 * Splits a command into reports: each has the header, a two-byte sequence number and a part of the command, which is
 * prefixed with its two-byte length; the last report is zero-padded.
 */
export function commandToReports(command: Uint8Array): Uint8Array[] {
  const stream = concat(Uint8Array.of(command.length >> 8, command.length & 0xff), command);
  const capacity = REPORT_BYTES - HEADER_BYTES;
  return Array.from({ length: Math.ceil(stream.length / capacity) }, (_, i) => {
    const report = allocateBytes(REPORT_BYTES).fill(0);
    report.set(HEADER);
    report.set([i >> 8, i & 0xff], HEADER.length);
    report.set(stream.subarray(i * capacity, (i + 1) * capacity), HEADER_BYTES);
    return report;
  });
}

/** Reassembles a response from its reports. */
export class ResponseAssembler implements Assembler<Uint8Array> {
  #stream: Uint8Array = new Uint8Array(0);
  #next = 0;

  /** @throws WalletError `DEVICE_ANSWER`, with `details.header` when the device uses another protocol */
  push(report: Uint8Array): Uint8Array | undefined {
    if (report.length !== REPORT_BYTES || HEADER.some((byte, i) => report[i] !== byte))
      throw new WalletError("DEVICE_ANSWER", "ledger: invalid reply header", { header: true });
    if ((((report[3] as number) << 8) | (report[4] as number)) !== this.#next++)
      throw new WalletError("DEVICE_ANSWER", "ledger: a part of the reply is missing");
    this.#stream = concat(this.#stream, report.subarray(HEADER_BYTES));
    const length = ((this.#stream[0] as number) << 8) | (this.#stream[1] as number);
    return this.#stream.length < 2 + length ? undefined : this.#stream.slice(2, 2 + length);
  }
}
