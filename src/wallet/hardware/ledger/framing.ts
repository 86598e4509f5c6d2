import { allocateBytes, concat } from "../../../protocol/primitives/bytes.ts";
import { WalletError } from "../../errors.ts";
import type { Assembler } from "../usb/report-line.ts";
import { REPORT_BYTES } from "../usb/usb-bus.ts";

/** Channel 0x0101, tag 5: what stands before the sequence number of every report. */
const HEADER = Uint8Array.of(0x01, 0x01, 0x05);
const HEADER_BYTES = HEADER.length + 2;

/**
 * The reports that carry a command: the header, a sequence number of two bytes, then the command behind its length in
 * two bytes; the last report is filled with zeros.
 */
export function commandToReports(command: Uint8Array): Uint8Array[] {
  const stream = concat(Uint8Array.of(command.length >> 8, command.length & 0xff), command);
  const room = REPORT_BYTES - HEADER_BYTES;
  return Array.from({ length: Math.ceil(stream.length / room) }, (_, i) => {
    const report = allocateBytes(REPORT_BYTES).fill(0);
    report.set(HEADER);
    report.set([i >> 8, i & 0xff], HEADER.length);
    report.set(stream.subarray(i * room, (i + 1) * room), HEADER_BYTES);
    return report;
  });
}

/** Puts the reports of an answer together. */
export class AnswerAssembler implements Assembler<Uint8Array> {
  #stream: Uint8Array = new Uint8Array(0);
  #next = 0;

  /** @throws WalletError `DEVICE_ANSWER`, with `details.header` when the device speaks another protocol */
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
