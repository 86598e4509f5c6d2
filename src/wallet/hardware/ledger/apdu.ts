import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { bigintToBytes, concat, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import type { DerivationPath } from "../../derivation-path.ts";
import { WalletError, type WalletErrorCode } from "../../errors.ts";
import type { ReportTransport, Responder } from "../usb/report-transport.ts";
import { commandToReports, ResponseAssembler } from "./framing.ts";

/** Maximum data of a command, bytes. */
export const MAX_DATA = 255;

const CLASS = 0xe0;
const SUCCESS = 0x9000;

/** A command APDU of class 0xe0. @see ISO/IEC 7816-4 */
export interface Apdu {
  readonly instruction: number;
  readonly p1?: number;
  readonly p2?: number;
  /** At most `MAX_DATA` bytes. */
  readonly data?: Uint8Array;
}

interface Failure {
  readonly code: WalletErrorCode;
  readonly text: string;
}

const refused: Failure = { code: "DEVICE_REFUSED", text: "refused on the device" };
const locked: Failure = { code: "DEVICE_LOCKED", text: "the device is locked; enter its PIN on the device" };
const noApp: Failure = { code: "DEVICE_APP", text: "open the Klaytn or the Ethereum app on the device" };
const unreadable: Failure = {
  code: "CANNOT_SIGN",
  text: "the app does not accept it; blind signing may have to be allowed in the settings of the app",
};
const tooLarge: Failure = { code: "CANNOT_SIGN", text: "too large for the app on the device" };

/** Status words of the operating system and of both apps, as documented by their vendors. */
const FAILURES: ReadonlyMap<number, Failure> = new Map([
  [0x6985, refused],
  [0x5501, refused],
  [0x5515, locked],
  [0x6982, locked],
  [0x6e00, noApp],
  [0x6e01, noApp],
  [0x6d00, noApp],
  [0x6d02, noApp],
  [0x6511, noApp],
  [0x6a80, unreadable],
  [0x6a81, unreadable],
  [0x6a82, unreadable],
  [0xb005, unreadable],
  [0x6a83, tooLarge],
  [0x6a86, tooLarge],
  [0x6a87, tooLarge],
  [0xb004, tooLarge],
  [0x6d07, { code: "DEVICE_FAILED", text: "the device is not set up" }],
  [0x6611, { code: "DEVICE_FAILED", text: "the device is not set up" }],
]);

/**
 * Sends a command.
 * @param responder - "user" when the device asks its user first
 * @returns the data of the response
 * @throws WalletError by the status word, and as `ReportTransport.exchange`
 */
export async function send(
  transport: ReportTransport,
  { instruction, p1 = 0, p2 = 0, data = EMPTY_BYTES }: Apdu,
  responder: Responder = "device",
): Promise<Uint8Array> {
  const command = concat(Uint8Array.of(CLASS, instruction, p1, p2, data.length), data);
  const answer = await transport.exchange(commandToReports(command), new ResponseAssembler(), responder);
  if (answer.length < 2) throw new WalletError("DEVICE_ANSWER", "ledger: the reply has no status");
  const status = ((answer.at(-2) as number) << 8) | (answer.at(-1) as number);
  if (status !== SUCCESS) throw failureOf(status);
  return answer.subarray(0, -2);
}

function failureOf(status: number): WalletError {
  const { code, text } = FAILURES.get(status) ?? {
    code: "DEVICE_FAILED" as const,
    text: `the device returned 0x${status.toString(16).padStart(4, "0")}`,
  };
  return new WalletError(code, `ledger: ${text}`, { status });
}

/** Encodes a path: the number of components, then four bytes for each, big-endian. */
export function encodePath(path: DerivationPath): Uint8Array {
  const bytes = new Uint8Array(1 + 4 * path.length);
  const view = new DataView(bytes.buffer);
  bytes[0] = path.length;
  path.forEach((component, i) => {
    view.setUint32(1 + 4 * i, component);
  });
  return bytes;
}

/** Splits data into chunks of `size` bytes; the last one may be shorter. */
export function split(data: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(data.length / size) }, (_, i) =>
    data.subarray(i * size, (i + 1) * size),
  );
}

/**
 * Splits data into chunks of at most `MAX_DATA` bytes whose last one is longer than `tail`. An app that parses a legacy
 * transaction as a stream takes it for complete when only the fields chain id, 0, 0 are missing.
 */
export function splitLeavingTail(data: Uint8Array, tail: number): Uint8Array[] {
  let size = MAX_DATA;
  while (data.length > MAX_DATA && data.length % size > 0 && data.length % size <= tail) size--;
  return split(data, size);
}

/** Encoded length of the RLP items chain id, 0, 0. @see EIP-155 */
export function tailBytes(chainId: bigint): number {
  return encodeItem(bigintToBytes(chainId)).length + 2;
}
