import { addressOfPublicKey } from "../../../protocol/crypto/secp256k1.ts";
import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { DerivationPath } from "../../derivation-path.ts";
import { WalletError } from "../../errors.ts";
import type { HardwareDriver } from "../driver.ts";
import type { ReportTransport } from "../usb/report-transport.ts";

/** Major, minor, patch. */
export type Version = readonly [number, number, number];

/** An open app of a Ledger. */
export interface LedgerApp extends Pick<HardwareDriver, "address" | "signTransaction" | "signText"> {
  readonly name: "Ethereum" | "Klaytn";
  readonly version: Version;
  readonly bases: readonly DerivationPath[];
}

/** Detects one app. @returns undefined when another one is open. @throws WalletError */
export type AppProbe = (transport: ReportTransport) => Promise<LedgerApp | undefined>;

/** Whether `version` is `minimum` or later. */
export function isAtLeast(version: Version, minimum: Version): boolean {
  for (const [i, part] of version.entries()) {
    if (part !== minimum[i]) return part > (minimum[i] as number);
  }
  return true;
}

/** The version in the first three bytes. @throws WalletError `DEVICE_ANSWER` */
export function readVersion(bytes: Uint8Array): Version {
  const [major, minor, patch] = bytes;
  if (major === undefined || minor === undefined || patch === undefined)
    throw malformed("the reply has no version");
  return [major, minor, patch];
}

/**
 * The address in a response of length, public key, length, 40 hex digits.
 * @throws WalletError `DEVICE_ANSWER` when the address is not that of the public key
 */
export function readAddress(answer: Uint8Array): Address {
  const keyLength = answer[0] ?? 0;
  const publicKey = answer.subarray(1, 1 + keyLength);
  const digits = answer.subarray(2 + keyLength, 2 + keyLength + (answer[1 + keyLength] ?? 0));
  const text = new TextDecoder().decode(digits);
  if (publicKey.length !== 65 || !/^[0-9a-fA-F]{40}$/.test(text)) throw malformed("the reply has no address");
  const address = hexToBytes(`0x${text}`);
  if (!equalBytes(addressOfPublicKey(publicKey.subarray(1)), address))
    throw malformed("the address is not that of the public key");
  return address;
}

/** r and s of a response that may begin with v. @throws WalletError `DEVICE_ANSWER` */
export function readSignature(answer: Uint8Array): Uint8Array {
  if (answer.length !== 64 && answer.length !== 65) throw malformed("the reply has no signature");
  return answer.slice(-64);
}

function malformed(text: string): WalletError {
  return new WalletError("DEVICE_ANSWER", `ledger: ${text}`);
}
