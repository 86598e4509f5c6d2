import { checksumAddress } from "../../../protocol/account/address.ts";
import { bigintToBytes, concat } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { DerivationPath } from "../../derivation-path.ts";
import type { TrezorMessage } from "./framing.ts";
import { bytesField, textField, uintField } from "./protobuf.ts";

/** Message types. @see trezor/trezor-firmware, messages.proto */
export const TrezorType = {
  initialize: 0,
  ping: 1,
  success: 2,
  failure: 3,
  features: 17,
  pinMatrixRequest: 18,
  pinMatrixAck: 19,
  cancel: 20,
  buttonRequest: 26,
  buttonAck: 27,
  passphraseRequest: 41,
  passphraseAck: 42,
  getFeatures: 55,
  ethereumGetAddress: 56,
  ethereumAddress: 57,
  ethereumSignTx: 58,
  ethereumTxRequest: 59,
  ethereumTxAck: 60,
  ethereumSignMessage: 64,
  ethereumMessageSignature: 66,
  ethereumSignTxEip1559: 452,
} as const;

/** Maximum call data per message, bytes. */
export const DATA_CHUNK = 1024;

/** A message without fields. */
export function plain(type: number): TrezorMessage {
  return { type, body: new Uint8Array(0) };
}

/** Makes older firmware check PIN and passphrase now; newer firmware does so when an address is requested first. */
export function ping(): TrezorMessage {
  return { type: TrezorType.ping, body: concat(uintField(3, 1), uintField(4, 1)) };
}

/** @param positions - of the digits on the keypad, `1` to `9` */
export function pinMatrixAck(positions: string): TrezorMessage {
  return { type: TrezorType.pinMatrixAck, body: textField(1, positions) };
}

/** @param passphrase - normalized to NFKD, as in BIP-39 */
export function passphraseAck(passphrase: string): TrezorMessage {
  return { type: TrezorType.passphraseAck, body: textField(1, passphrase.normalize("NFKD")) };
}

/** Requests the address of a path. */
export function getAddress(path: DerivationPath): TrezorMessage {
  return { type: TrezorType.ethereumGetAddress, body: pathFields(path) };
}

/** Requests the signature of a text with Ethereum's prefix. */
export function signMessage(path: DerivationPath, text: Uint8Array): TrezorMessage {
  return { type: TrezorType.ethereumSignMessage, body: concat(pathFields(path), bytesField(2, text)) };
}

/** Sends the chunk of a transaction's data that the device requested. */
export function txAck(part: Uint8Array): TrezorMessage {
  return { type: TrezorType.ethereumTxAck, body: bytesField(1, part) };
}

/** A transaction for a Trezor to sign. */
export interface TrezorTransaction {
  readonly path: DerivationPath;
  readonly tx: Transaction;
  readonly chainId: bigint;
  /** Firmware that may expect recipients as bytes; newer firmware expects text, and each ignores the other form. */
  readonly isOldFirmware: boolean;
}

/**
 * A legacy transaction with replay protection (EIP-155); data after the first chunk is sent on request. Nonce and value
 * are left out when they are 0, as in the vendor's client.
 */
export function signLegacy({ path, tx, chainId, isOldFirmware }: TrezorTransaction): TrezorMessage {
  const body = concat(
    pathFields(path),
    unlessZero(2, tx.nonce),
    numberField(3, tx.gasPrice),
    numberField(4, tx.gas),
    ...(isOldFirmware && tx.to !== undefined ? [bytesField(5, tx.to)] : []),
    textField(11, recipient(tx)),
    unlessZero(6, tx.value),
    bytesField(7, tx.input.subarray(0, DATA_CHUNK)),
    uintField(8, tx.input.length),
    uintField(9, chainId),
  );
  return { type: TrezorType.ethereumSignTx, body };
}

/** A dynamic fee transaction (EIP-1559). */
export function signDynamicFee({ path, tx, chainId }: TrezorTransaction): TrezorMessage {
  const entries = (tx.accessList ?? []).map(({ address, storageKeys }) =>
    bytesField(
      11,
      concat(textField(1, bytesToHex(address)), ...storageKeys.map((key) => bytesField(2, key))),
    ),
  );
  const body = concat(
    pathFields(path),
    numberField(2, tx.nonce),
    numberField(3, tx.gasPrice),
    numberField(4, tx.maxPriorityFeePerGas ?? 0n),
    numberField(5, tx.gas),
    textField(6, recipient(tx)),
    numberField(7, tx.value),
    bytesField(8, tx.input.subarray(0, DATA_CHUNK)),
    uintField(9, tx.input.length),
    uintField(10, chainId),
    ...entries,
  );
  return { type: TrezorType.ethereumSignTxEip1559, body };
}

function pathFields(path: DerivationPath): Uint8Array {
  return concat(...path.map((component) => uintField(1, component)));
}

/** Numbers of a transaction are big-endian bytes without leading zeros. */
function numberField(number: number, value: bigint): Uint8Array {
  return bytesField(number, bigintToBytes(value));
}

function unlessZero(number: number, value: bigint): Uint8Array {
  return value === 0n ? new Uint8Array(0) : numberField(number, value);
}

function recipient({ to }: Transaction): string {
  return to === undefined ? "" : checksumAddress(to);
}
