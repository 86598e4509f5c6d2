import { type Address, concat } from "../../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { TypeCode } from "../../../protocol/transaction/types.ts";
import { DEFAULT_ROOT_PATH, type DerivationPath } from "../../derivation-path.ts";
import { WalletError } from "../../errors.ts";
import { ETHEREUM_ROOT_PATH } from "../../hd.ts";
import type { SignableMessage } from "../../signed-message.ts";
import type { TransactionRequest } from "../../transaction-request.ts";
import { cannotSign, ethereumText, payloadToSign } from "../signable.ts";
import type { ReportTransport } from "../usb/report-transport.ts";
import { type Apdu, encodePath, send, split, splitLeavingTail, tailBytes } from "./apdu.ts";
import {
  isAtLeast,
  type LedgerApp,
  readAddress,
  readSignature,
  readVersion,
  type Version,
} from "./ledger-app.ts";

const SIGNER = "Ledger's Ethereum app";
const ADDRESS = 0x02;
const SIGN_TRANSACTION = 0x04;
const CONFIGURATION = 0x06;
const SIGN_MESSAGE = 0x08;
/** P1 of a continuation command. */
const MORE = 0x80;
/** Flags and version take 4 bytes; later versions may append more. */
const MAX_CONFIGURATION = 16;
/** Bytes of a message per command, as in the vendor's client. */
const MESSAGE_CHUNK = 150;

/** The first version of the app that signs a transaction type. */
const SINCE: ReadonlyMap<number, Version> = new Map([
  [TypeCode.legacy, [1, 0, 3]],
  [TypeCode.accessList, [1, 9, 0]],
  [TypeCode.dynamicFee, [1, 9, 0]],
  [TypeCode.setCode, [1, 17, 0]],
]);

/**
 * Detects Ledger's Ethereum app.
 * @throws WalletError `DEVICE_ANSWER` for anything that is not a configuration, such as a signature confirmed after the timeout of
 * its command: from then on every response would be attributed to the wrong command
 * @see LedgerHQ/app-ethereum, ethapp.adoc
 */
export async function probeEthereumApp(transport: ReportTransport): Promise<LedgerApp> {
  const configuration = await send(transport, { instruction: CONFIGURATION });
  if (configuration.length > MAX_CONFIGURATION)
    throw new WalletError(
      "DEVICE_ANSWER",
      "ledger: a late reply to an earlier command; open the wallet again",
    );
  return new EthereumApp(transport, readVersion(configuration.subarray(1)));
}

class EthereumApp implements LedgerApp {
  readonly name = "Ethereum";
  readonly version: Version;
  /** Those of Ethereum tools, of older Ethereum tools, and of Kaia. */
  readonly bases: readonly DerivationPath[] = [
    [...ETHEREUM_ROOT_PATH, 0],
    ETHEREUM_ROOT_PATH,
    [...DEFAULT_ROOT_PATH, 0],
  ];
  readonly #transport: ReportTransport;

  constructor(transport: ReportTransport, version: Version) {
    this.#transport = transport;
    this.version = version;
  }

  async address(path: DerivationPath): Promise<Address> {
    return readAddress(await send(this.#transport, { instruction: ADDRESS, data: encodePath(path) }));
  }

  async signTransaction(path: DerivationPath, request: TransactionRequest): Promise<Uint8Array> {
    this.#check(request.tx);
    const stream = concat(encodePath(path), payloadToSign(request, SIGNER));
    const tail = request.tx.type.code === TypeCode.legacy ? tailBytes(request.chainId) : 0;
    return this.#sign(SIGN_TRANSACTION, splitLeavingTail(stream, tail));
  }

  async signText(path: DerivationPath, message: SignableMessage): Promise<Uint8Array> {
    const text = ethereumText(message, SIGNER);
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, text.length);
    return this.#sign(SIGN_MESSAGE, split(concat(encodePath(path), length, text), MESSAGE_CHUNK));
  }

  #check({ type }: Transaction): void {
    const since = SINCE.get(type.code);
    if (since === undefined) throw cannotSign(SIGNER, type.name);
    if (isAtLeast(this.version, since)) return;
    throw cannotSign(`${SIGNER} before ${since.join(".")}`, type.name);
  }

  async #sign(instruction: number, chunks: readonly Uint8Array[]): Promise<Uint8Array> {
    let answer: Uint8Array = new Uint8Array(0);
    for (const [i, data] of chunks.entries()) {
      const command: Apdu = { instruction, p1: i === 0 ? 0 : MORE, data };
      answer = await send(this.#transport, command, i === chunks.length - 1 ? "user" : "device");
    }
    return readSignature(answer);
  }
}
