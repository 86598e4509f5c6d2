import { type Address, concat } from "../../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { TypeCode } from "../../../protocol/transaction/types.ts";
import { DEFAULT_ROOT_PATH, type DerivationPath } from "../../derivation-path.ts";
import { WalletError } from "../../errors.ts";
import { ETHEREUM_ROOT_PATH } from "../../hd.ts";
import type { SignableMessage } from "../../signed-message.ts";
import type { TransactionRequest } from "../../transaction-request.ts";
import { cannotSign, ethereumText, payloadToSign } from "../signable.ts";
import type { ReportLine } from "../usb/report-line.ts";
import { type Apdu, encodePath, send, split, splitBeforeTail, tailBytes } from "./apdu.ts";
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
/** P1 of a command that continues the previous one. */
const MORE = 0x80;
/** Flags and version take 4 bytes; there is room for what later versions add. */
const MAX_CONFIGURATION = 16;
/** Bytes of a message in one command, as the maker's client sends them. */
const MESSAGE_PART = 150;

/** The version from which the app signs a type of transactions. */
const SINCE: ReadonlyMap<number, Version> = new Map([
  [TypeCode.legacy, [1, 0, 3]],
  [TypeCode.accessList, [1, 9, 0]],
  [TypeCode.dynamicFee, [1, 9, 0]],
  [TypeCode.setCode, [1, 17, 0]],
]);

/**
 * Recognises Ledger's Ethereum app.
 * @throws WalletError `DEVICE_ANSWER` for anything that is not a configuration: a signature, confirmed when nobody waited any more,
 * would be taken for the answer, and every later answer for the one before it
 * @see LedgerHQ/app-ethereum, ethapp.adoc
 */
export async function probeEthereumApp(line: ReportLine): Promise<LedgerApp> {
  const configuration = await send(line, { instruction: CONFIGURATION });
  if (configuration.length > MAX_CONFIGURATION)
    throw new WalletError(
      "DEVICE_ANSWER",
      "ledger: a late reply to an earlier command; open the wallet again",
    );
  return new EthereumApp(line, readVersion(configuration.subarray(1)));
}

class EthereumApp implements LedgerApp {
  readonly name = "Ethereum";
  readonly version: Version;
  /** Where Ethereum's tools put accounts, where older ones did, and Kaia's. */
  readonly bases: readonly DerivationPath[] = [
    [...ETHEREUM_ROOT_PATH, 0],
    ETHEREUM_ROOT_PATH,
    [...DEFAULT_ROOT_PATH, 0],
  ];
  readonly #line: ReportLine;

  constructor(line: ReportLine, version: Version) {
    this.#line = line;
    this.version = version;
  }

  async address(path: DerivationPath): Promise<Address> {
    return readAddress(await send(this.#line, { instruction: ADDRESS, data: encodePath(path) }));
  }

  async signTransaction(path: DerivationPath, request: TransactionRequest): Promise<Uint8Array> {
    this.#check(request.tx);
    const stream = concat(encodePath(path), payloadToSign(request, SIGNER));
    const tail = request.tx.type.code === TypeCode.legacy ? tailBytes(request.chainId) : 0;
    return this.#sign(SIGN_TRANSACTION, splitBeforeTail(stream, tail));
  }

  async signText(path: DerivationPath, message: SignableMessage): Promise<Uint8Array> {
    const text = ethereumText(message, SIGNER);
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, text.length);
    return this.#sign(SIGN_MESSAGE, split(concat(encodePath(path), length, text), MESSAGE_PART));
  }

  #check({ type }: Transaction): void {
    const since = SINCE.get(type.code);
    if (since === undefined) throw cannotSign(SIGNER, type.name);
    if (isAtLeast(this.version, since)) return;
    throw cannotSign(`${SIGNER} before ${since.join(".")}`, type.name);
  }

  async #sign(instruction: number, parts: readonly Uint8Array[]): Promise<Uint8Array> {
    let answer: Uint8Array = new Uint8Array(0);
    for (const [i, data] of parts.entries()) {
      const command: Apdu = { instruction, p1: i === 0 ? 0 : MORE, data };
      answer = await send(this.#line, command, i === parts.length - 1 ? "person" : "device");
    }
    return readSignature(answer);
  }
}
