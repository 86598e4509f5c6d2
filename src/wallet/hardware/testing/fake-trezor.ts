import { checksumAddress } from "../../../protocol/account/address.ts";
import { encodeItem, type Item } from "../../../protocol/codec/rlp/item.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { bigintToBytes, bytesToBigint, concat, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { MessageAssembler, messageToReports, type TrezorMessage } from "../trezor/framing.ts";
import { TrezorType } from "../trezor/messages.ts";
import { bytesField, Fields, textField, uintField } from "../trezor/protobuf.ts";
import type { FakeDevice } from "./fake-bus.ts";
import { FakeKeys, TEST_MNEMONIC, testKeys } from "./fake-keys.ts";
import type { Owner } from "./fake-ledger.ts";

/** Digits that the device shows, by keypad position. */
const SHOWN = [0, 7, 8, 9, 4, 5, 6, 1, 2, 3];
const SHOWN_PART = 1024;

interface Signing {
  readonly path: number[];
  readonly fields: Fields;
  readonly isLegacy: boolean;
  readonly length: number;
  data: Uint8Array;
}

/** Properties of a fake Trezor. */
export interface FakeTrezorOptions {
  /** Digits of the PIN; absent = none. */
  readonly pin?: string;
  /** Whether it requests a passphrase. */
  readonly passphrase?: boolean;
  /** Firmware that checks PIN and passphrase on a ping; newer firmware does so when an address is requested. */
  readonly checksAtPing?: boolean;
  readonly label?: string;
  /** Firmware before 1.8 returns addresses as bytes. */
  readonly version?: readonly [number, number, number];
}

/** A software Trezor with real keys: protocol version 1, a shuffled PIN matrix, passphrase, buttons. */
export class FakeTrezor implements FakeDevice {
  readonly vendorId = 0x1209;
  productId = 0x53c1;
  isSilent = false;
  owner: Owner = () => true;
  /** All messages, sent and received; bodies in hex. */
  readonly log: { readonly type: number; readonly body: string }[] = [];
  readonly #options: FakeTrezorOptions;
  readonly #version: readonly [number, number, number];
  #command = new MessageAssembler();
  #keys: FakeKeys | undefined;
  #isUnlocked: boolean;
  /** The request suspended by PIN, passphrase or button. */
  #next: (() => Promise<TrezorMessage>) | undefined;
  #signing: Signing | undefined;

  constructor(options: FakeTrezorOptions = {}) {
    this.#options = options;
    this.#version = options.version ?? [1, 12, 1];
    this.#isUnlocked = options.pin === undefined;
  }

  reset(): void {
    this.#command = new MessageAssembler();
  }

  /** Locks the device, as its button or the auto-lock does. */
  lock(): void {
    this.#isUnlocked = this.#options.pin === undefined;
  }

  async receive(report: Uint8Array): Promise<readonly Uint8Array[]> {
    if (this.isSilent) return [];
    const message = this.#command.push(report);
    if (message === undefined) return [];
    this.#command = new MessageAssembler();
    return messageToReports(await this.exchange(message));
  }

  /** Handles a message. */
  async exchange(message: TrezorMessage): Promise<TrezorMessage> {
    const note = ({ type, body }: TrezorMessage) => this.log.push({ type, body: bytesToHex(body).slice(2) });
    note(message);
    const reply = await this.#answer(message);
    note(reply);
    return reply;
  }

  async #answer({ type, body }: TrezorMessage): Promise<TrezorMessage> {
    const fields = new Fields(body);
    switch (type) {
      case TrezorType.initialize:
        this.#keys = this.#options.passphrase ? undefined : testKeys;
        return this.#features();
      case TrezorType.getFeatures:
        return this.#features();
      case TrezorType.ping:
        return this.#ping(fields);
      case TrezorType.pinMatrixAck:
        return this.#enterPin(fields.text(1));
      case TrezorType.passphraseAck:
        this.#keys = new FakeKeys(TEST_MNEMONIC, fields.text(1));
        return this.#proceed();
      case TrezorType.buttonAck:
        return this.#proceed();
      case TrezorType.cancel:
        return failure(4, "Cancelled");
      case TrezorType.ethereumGetAddress:
        return this.#guarded(async () => this.#address(fields));
      case TrezorType.ethereumSignTx:
      case TrezorType.ethereumSignTxEip1559:
        return this.#guarded(async () => this.#beginSigning(fields, type === TrezorType.ethereumSignTx));
      case TrezorType.ethereumTxAck:
        return this.#collect(fields.bytes(1));
      case TrezorType.ethereumSignMessage:
        return this.#guarded(() => this.#signMessage(fields));
      default:
        return failure(1, "Unexpected message");
    }
  }

  #features(): TrezorMessage {
    const { pin, passphrase, label = "dev" } = this.#options;
    const flags = [
      [7, pin !== undefined],
      [8, passphrase === true],
    ] as const;
    const body = concat(
      textField(1, "trezor.io"),
      ...this.#version.map((part, i) => uintField(2 + i, part)),
      textField(6, "ABCDEF"),
      ...flags.map(([number, flag]) => uintField(number, flag ? 1 : 0)),
      ...[textField(10, label), uintField(12, 1), uintField(16, this.#isUnlocked ? 1 : 0)],
      ...[textField(21, "1"), textField(44, "T1B1"), uintField(30, 1), uintField(30, 7)],
    );
    return { type: TrezorType.features, body };
  }

  async #ping(fields: Fields): Promise<TrezorMessage> {
    const pong = async (): Promise<TrezorMessage> => ({
      type: TrezorType.success,
      body: textField(1, fields.text(1)),
    });
    const checks = (this.#options.checksAtPing ?? true) && fields.uint(3) + fields.uint(4) > 0n;
    return checks ? this.#guarded(pong) : pong();
  }

  async #enterPin(positions: string): Promise<TrezorMessage> {
    const digits = [...positions].map((position) => SHOWN[Number(position)]).join("");
    if (digits !== this.#options.pin) return failure(7, "PIN invalid");
    this.#isUnlocked = true;
    return this.#proceed();
  }

  /** Handles a request once the device is unlocked and has its passphrase. */
  #guarded(next: () => Promise<TrezorMessage>): Promise<TrezorMessage> {
    this.#next = next;
    return this.#proceed();
  }

  async #proceed(): Promise<TrezorMessage> {
    if (!this.#isUnlocked) return { type: TrezorType.pinMatrixRequest, body: uintField(1, 1) };
    if (this.#keys === undefined) return { type: TrezorType.passphraseRequest, body: EMPTY_BYTES };
    const next = this.#next;
    this.#next = undefined;
    return next === undefined ? failure(1, "Unexpected message") : next();
  }

  #address(fields: Fields): TrezorMessage {
    const address = this.#own().address(fields.uints(1).map(Number));
    const body = this.#isOld ? bytesField(1, address) : textField(2, bytesToHex(address));
    return { type: TrezorType.ethereumAddress, body };
  }

  get #isOld(): boolean {
    return this.#version[0] === 1 && this.#version[1] < 8;
  }

  #own(): FakeKeys {
    return this.#keys as FakeKeys;
  }

  #beginSigning(fields: Fields, isLegacy: boolean): TrezorMessage {
    const data = fields.bytes(isLegacy ? 7 : 8);
    const length = Number(fields.uint(isLegacy ? 8 : 9));
    this.#signing = { path: fields.uints(1).map(Number), fields, isLegacy, data, length };
    return this.#button(() => this.#collect(EMPTY_BYTES));
  }

  /** Asks the user, once the host has acknowledged the button request. */
  #button(next: () => Promise<TrezorMessage>): TrezorMessage {
    this.#next = async () => ((await this.owner("sign")) ? next() : failure(4, "Action cancelled by user"));
    return { type: TrezorType.buttonRequest, body: uintField(1, 8) };
  }

  async #collect(part: Uint8Array): Promise<TrezorMessage> {
    const signing = this.#signing;
    if (signing === undefined) return failure(1, "Unexpected message");
    signing.data = concat(signing.data, part);
    const missing = signing.length - signing.data.length;
    if (missing > 0) return txRequest(uintField(1, Math.min(SHOWN_PART, missing)));
    this.#signing = undefined;
    const { parity, rs } = this.#own().sign(signing.path, keccak256(payloadOf(signing, this.#isOld)));
    const chainId = signing.fields.uint(9);
    const v = signing.isLegacy ? chainId * 2n + 35n + BigInt(parity) : BigInt(parity);
    return txRequest(uintField(2, v), bytesField(3, rs.slice(0, 32)), bytesField(4, rs.slice(32)));
  }

  async #signMessage(fields: Fields): Promise<TrezorMessage> {
    const path = fields.uints(1).map(Number);
    const text = fields.bytes(2);
    const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${text.length}`);
    const { parity, rs } = this.#own().sign(path, keccak256(concat(prefix, text)));
    const signature = bytesField(2, concat(rs, Uint8Array.of(27 + parity)));
    const address = textField(3, bytesToHex(this.#own().address(path)));
    return { type: TrezorType.ethereumMessageSignature, body: concat(signature, address) };
  }
}

/** The signing payload, built from the fields received. */
function payloadOf({ fields, isLegacy, data }: Signing, isOld: boolean): Uint8Array {
  const to = isOld ? fields.bytes(5) : recipientOf(fields.text(isLegacy ? 11 : 6));
  const number = (field: number): Uint8Array => bigintToBytes(bytesToBigint(fields.bytes(field)));
  const chainId = bigintToBytes(fields.uint(isLegacy ? 9 : 10));
  if (isLegacy) {
    const head = [number(2), number(3), number(4), to, number(6), data];
    return encodeItem([...head, chainId, EMPTY_BYTES, EMPTY_BYTES]);
  }
  const entries = fields.allBytes(11).map((entry): Item => {
    const parts = new Fields(entry);
    return [hexToBytes(parts.text(1)), parts.allBytes(2)];
  });
  const head = [chainId, number(2), number(4), number(3), number(5), to, number(7), data];
  return concat(Uint8Array.of(2), encodeItem([...head, entries]));
}

function recipientOf(text: string): Uint8Array {
  if (text === "") return EMPTY_BYTES;
  const to = hexToBytes(text);
  if (checksumAddress(to) !== text) throw new Error("the recipient has a wrong checksum");
  return to;
}

function txRequest(...fields: Uint8Array[]): TrezorMessage {
  return { type: TrezorType.ethereumTxRequest, body: concat(...fields) };
}

function failure(code: number, text: string): TrezorMessage {
  return { type: TrezorType.failure, body: concat(uintField(1, code), textField(2, text)) };
}
