import { type Address, concat } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { TypeCode } from "../../../protocol/transaction/types.ts";
import { DEFAULT_ROOT_PATH, type DerivationPath } from "../../derivation-path.ts";
import { WalletError } from "../../errors.ts";
import { ETHEREUM_ROOT_PATH } from "../../hd.ts";
import type { SignableMessage } from "../../signed-message.ts";
import type { TransactionRequest } from "../../transaction-request.ts";
import type { DriverParts, HardwareDriver, HardwareKind } from "../driver.ts";
import { cannotSign, ethereumText, senderTransaction } from "../signable.ts";
import type { UsbDevice } from "../usb/usb-bus.ts";
import type { TrezorMessage } from "./framing.ts";
import {
  DATA_CHUNK,
  getAddress,
  passphraseAck,
  ping,
  pinMatrixAck,
  plain,
  signDynamicFee,
  signLegacy,
  signMessage,
  TrezorType,
  txAck,
} from "./messages.ts";
import { Fields } from "./protobuf.ts";
import { requestsSecret, TrezorSession } from "./trezor-session.ts";

const SIGNER = "Trezor";
/** A Trezor One with firmware from before 2018 is a HID device; all others use WebUSB. */
const HID = { vendorId: 0x534c, productId: 0x0001 } as const;
const WEB_USB = { vendorId: 0x1209, productId: 0x53c1 } as const;

/** The sign request, by type of transaction. */
const REQUESTS: ReadonlyMap<number, typeof signLegacy> = new Map([
  [TypeCode.legacy, signLegacy],
  [TypeCode.dynamicFee, signDynamicFee],
]);

/** Trezor's devices with protocol version 1. */
export const trezorKind: HardwareKind = {
  scheme: "trezor",
  matches: (device) =>
    isModel(device, WEB_USB)
      ? device.interfaceNumber === 0
      : isModel(device, HID) && isWalletInterface(device),
  createDriver: (parts) => new TrezorDriver(parts),
};

function isModel(device: UsbDevice, model: Pick<UsbDevice, "vendorId" | "productId">): boolean {
  return device.vendorId === model.vendorId && device.productId === model.productId;
}

/** The same device offers a second interface, for U2F. */
function isWalletInterface({ usagePage, interfaceNumber }: UsbDevice): boolean {
  return usagePage ? usagePage === 0xff00 : interfaceNumber === 0;
}

/** A Trezor. It may request its PIN, as positions in a shuffled matrix that it shows, and a passphrase. */
class TrezorDriver implements HardwareDriver {
  readonly failure = undefined;
  readonly bases: readonly DerivationPath[] = [
    [...ETHEREUM_ROOT_PATH, 0],
    [...DEFAULT_ROOT_PATH, 0],
  ];
  readonly #session: TrezorSession;
  #waitsFor: "PIN" | "passphrase" | undefined;
  #name = "Trezor";
  #isOldFirmware = false;

  constructor(parts: DriverParts) {
    this.#session = new TrezorSession(parts);
  }

  get status(): string {
    return `${this.#name} ${this.#waitsFor === undefined ? "online" : `waiting for ${this.#waitsFor}`}`;
  }

  /**
   * Reads the features of the device, then requests an address, so that the device requests PIN and passphrase now.
   * An empty secret is a valid passphrase but not a PIN: it starts over.
   */
  async open(secret: string): Promise<void> {
    let offered = this.#waitsFor === undefined && secret !== "";
    for (let reply = await this.#resume(secret); ; ) {
      if (reply.type === TrezorType.success) {
        reply = await this.#session.request(getAddress(this.bases[0] as DerivationPath), "user");
      } else if (reply.type === TrezorType.passphraseRequest && offered) {
        offered = false;
        reply = await this.#session.request(passphraseAck(secret), "user");
      } else if (requestsSecret(reply)) {
        throw this.#challenge(reply);
      } else {
        addressOf(reply);
        this.#waitsFor = undefined;
        return;
      }
    }
  }

  /** Requests the features, which a locked device returns without asking for its PIN. */
  async refresh(): Promise<void> {
    expect(await this.#session.request(plain(TrezorType.getFeatures)), TrezorType.features);
  }

  async address(path: DerivationPath): Promise<Address> {
    return addressOf(await this.#request(getAddress(path)));
  }

  async signTransaction(path: DerivationPath, request: TransactionRequest): Promise<Uint8Array> {
    const tx = senderTransaction(request, SIGNER);
    const create = REQUESTS.get(tx.type.code);
    if (create === undefined) throw cannotSign(SIGNER, tx.type.name);
    const { chainId } = request;
    let reply = await this.#request(create({ path, tx, chainId, isOldFirmware: this.#isOldFirmware }));
    for (let sent = DATA_CHUNK; ; ) {
      const fields = expect(reply, TrezorType.ethereumTxRequest);
      const wanted = Number(fields.uint(1));
      if (wanted === 0) return signatureOf(fields.bytes(3), fields.bytes(4));
      if (sent + wanted > tx.input.length)
        throw new WalletError("DEVICE_ANSWER", "trezor: the device requests data beyond the end");
      reply = await this.#request(txAck(tx.input.subarray(sent, sent + wanted)));
      sent += wanted;
    }
  }

  async signText(path: DerivationPath, message: SignableMessage): Promise<Uint8Array> {
    const reply = await this.#request(signMessage(path, ethereumText(message, SIGNER)));
    const signature = expect(reply, TrezorType.ethereumMessageSignature).bytes(2);
    return signatureOf(signature.subarray(0, 32), signature.subarray(32, 64));
  }

  #resume(secret: string): Promise<TrezorMessage> {
    if (this.#waitsFor === "passphrase") return this.#session.request(passphraseAck(secret), "user");
    if (this.#waitsFor === undefined || secret === "") return this.#begin();
    if (!/^[1-9]+$/.test(secret))
      throw new WalletError("DEVICE_FAILED", "trezor: a PIN is given as positions on the keypad, 1 to 9");
    return this.#session.request(pinMatrixAck(secret), "user");
  }

  async #begin(): Promise<TrezorMessage> {
    const features = expect(await this.#session.request(plain(TrezorType.initialize)), TrezorType.features);
    const [major, minor, patch] = [features.uint(2), features.uint(3), features.uint(4)];
    this.#name = `Trezor v${major}.${minor}.${patch} '${features.text(10)}'`;
    this.#isOldFirmware = major === 1n ? minor < 10n : minor < 4n;
    if (features.uint(12) === 0n) throw new WalletError("DEVICE_FAILED", "trezor: the device is not set up");
    return this.#session.request(ping(), "user"); // after wrong PINs a device waits before it asks again
  }

  /** The error that requests a secret; the console matches its text. */
  #challenge({ type }: TrezorMessage): WalletError {
    this.#waitsFor = type === TrezorType.pinMatrixRequest ? "PIN" : "passphrase";
    return new WalletError("DEVICE_SECRET", `trezor: ${this.#waitsFor.toLowerCase()} needed`);
  }

  /** Sends a request to the open device. @throws WalletError `DEVICE_SECRET` when it has locked itself since */
  async #request(message: TrezorMessage): Promise<TrezorMessage> {
    const reply = await this.#session.request(message);
    if (!requestsSecret(reply)) return reply;
    await this.#session.cancel();
    throw new WalletError("DEVICE_SECRET", "trezor: the device is locked; open the wallet again");
  }
}

/** The fields of a reply of this type. @throws WalletError `DEVICE_ANSWER` for any other */
function expect({ type, body }: TrezorMessage, wanted: number): Fields {
  if (type === wanted) return new Fields(body);
  throw new WalletError("DEVICE_ANSWER", `trezor: unexpected reply of type ${type}`);
}

/** Older firmware returns bytes, newer firmware text. @throws WalletError `DEVICE_ANSWER` */
function addressOf(reply: TrezorMessage): Address {
  const fields = expect(reply, TrezorType.ethereumAddress);
  const [bytes, text] = [fields.bytes(1), fields.text(2)];
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return hexToBytes(text);
  if (bytes.length === 20) return bytes;
  throw new WalletError("DEVICE_ANSWER", "trezor: the reply has no address");
}

function signatureOf(r: Uint8Array, s: Uint8Array): Uint8Array {
  if (r.length === 32 && s.length === 32) return concat(r, s);
  throw new WalletError("DEVICE_ANSWER", "trezor: the reply has no signature");
}
