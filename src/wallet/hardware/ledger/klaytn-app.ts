import { type Address, concat } from "../../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { type FeeMode, isEnveloped, type TransactionEffect } from "../../../protocol/transaction/types.ts";
import { DEFAULT_ROOT_PATH, type DerivationPath } from "../../derivation-path.ts";
import type { SignableMessage } from "../../signed-message.ts";
import type { TransactionRequest } from "../../transaction-request.ts";
import { cannotSign, payloadToSign } from "../signable.ts";
import type { ReportLine } from "../usb/report-line.ts";
import { encodePath, MAX_DATA, send, split, splitBeforeTail, tailBytes } from "./apdu.ts";
import { type LedgerApp, readAddress, readSignature, readVersion, type Version } from "./ledger-app.ts";

const SIGNER = "Ledger's Klaytn app";

/** Instructions of app 1.1 and later. */
const later = { version: 0x03, name: 0x04, address: 0x05, sign: 0x06, more: 0x80 } as const;
/** Instructions of app 1.0, where each base type of transactions has its own; `more` and `goesOn` are bits of P2. */
const first = { configuration: 0x01, address: 0x02, more: 0x02, goesOn: 0x01 } as const;

/** Base types that both generations know, and the instruction of the first. */
const INSTRUCTIONS: Partial<Record<TransactionEffect, number>> = {
  ethereum: 0x04,
  transfer: 0x08,
  memo: 0x10,
  deploy: 0x28,
  execute: 0x30,
  cancel: 0x38,
};

/** P1 of app 1.0 by who pays. */
const PAYERS: Readonly<Record<FeeMode, number>> = { sender: 0, feePayer: 1, shared: 2 };

/** Sends what is to be signed and answers r and s. */
type Sign = (line: ReportLine, path: DerivationPath, request: TransactionRequest) => Promise<Uint8Array>;

/**
 * Recognises the Klaytn app, version 1.1 and later, by its name.
 * @see blooo-io/hw-app-klaytn 0.2, the client of its maker
 */
export async function probeKlaytnApp(line: ReportLine): Promise<LedgerApp | undefined> {
  const version = await send(line, { instruction: later.version });
  const name = new TextDecoder().decode(await send(line, { instruction: later.name }));
  if (version.length !== 3 || !/^(klaytn|kaia)/i.test(name)) return undefined;
  return new KlaytnApp(line, readVersion(version), later.address, signLater);
}

/**
 * Recognises version 1.0 of the Klaytn app, which has other instructions.
 * @see blooo-io/LedgerHQ-app-klaytn, doc/api.md
 */
export async function probeFirstKlaytnApp(line: ReportLine): Promise<LedgerApp | undefined> {
  const configuration = await send(line, { instruction: first.configuration });
  if (configuration.length !== 4) return undefined;
  return new KlaytnApp(line, readVersion(configuration.subarray(1)), first.address, signFirst);
}

class KlaytnApp implements LedgerApp {
  readonly name = "Klaytn";
  readonly version: Version;
  readonly bases: readonly DerivationPath[] = [[...DEFAULT_ROOT_PATH, 0]];
  readonly #line: ReportLine;
  readonly #address: number;
  readonly #sign: Sign;

  constructor(line: ReportLine, version: Version, address: number, sign: Sign) {
    this.#line = line;
    this.version = version;
    this.#address = address;
    this.#sign = sign;
  }

  async address(path: DerivationPath): Promise<Address> {
    return readAddress(await send(this.#line, { instruction: this.#address, data: encodePath(path) }));
  }

  async signTransaction(path: DerivationPath, request: TransactionRequest): Promise<Uint8Array> {
    instructionOf(request.tx);
    return this.#sign(this.#line, path, request);
  }

  async signText(_path: DerivationPath, _message: SignableMessage): Promise<never> {
    throw cannotSign(SIGNER, "messages");
  }
}

/** The path in a command of its own, then the bytes in numbered parts. */
async function signLater(
  line: ReportLine,
  path: DerivationPath,
  request: TransactionRequest,
): Promise<Uint8Array> {
  const parts = [encodePath(path), ...split(payloadToSign(request, SIGNER), MAX_DATA)];
  if (parts.length > 0xff) throw cannotSign(SIGNER, "so large a transaction");
  const instruction = later.sign;
  for (const [p1, data] of parts.slice(0, -1).entries())
    await send(line, { instruction, p1, p2: later.more, data });
  const last = { instruction, p1: parts.length - 1, data: parts.at(-1) as Uint8Array };
  return readSignature(await send(line, last, "person"));
}

/** The path and the bytes in one stream. */
async function signFirst(
  line: ReportLine,
  path: DerivationPath,
  request: TransactionRequest,
): Promise<Uint8Array> {
  const { tx, chainId } = request;
  const stream = concat(encodePath(path), payloadToSign(request, SIGNER));
  const parts = splitBeforeTail(stream, tailBytes(chainId));
  const command = { instruction: instructionOf(tx), p1: PAYERS[tx.type.feeMode] };
  for (const [i, data] of parts.slice(0, -1).entries())
    await send(line, { ...command, p2: first.more | (i === 0 ? 0 : first.goesOn), data });
  const last = { ...command, p2: parts.length === 1 ? 0 : first.goesOn, data: parts.at(-1) as Uint8Array };
  return readSignature(await send(line, last, "person"));
}

/** The instruction of app 1.0 for a type. @throws WalletError `CANNOT_SIGN` for types that neither generation knows */
function instructionOf({ type }: Transaction): number {
  const instruction = INSTRUCTIONS[type.effect];
  if (instruction === undefined || isEnveloped(type)) throw cannotSign(SIGNER, type.name);
  return instruction;
}
