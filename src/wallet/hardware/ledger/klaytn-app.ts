import { type Address, concat } from "../../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { type FeeMode, isEnveloped, type TransactionEffect } from "../../../protocol/transaction/types.ts";
import { DEFAULT_ROOT_PATH, type DerivationPath } from "../../derivation-path.ts";
import type { SignableMessage } from "../../signed-message.ts";
import type { TransactionRequest } from "../../transaction-request.ts";
import { cannotSign, payloadToSign } from "../signable.ts";
import type { ReportTransport } from "../usb/report-transport.ts";
import { encodePath, MAX_DATA, send, split, splitLeavingTail, tailBytes } from "./apdu.ts";
import { type LedgerApp, readAddress, readSignature, readVersion, type Version } from "./ledger-app.ts";

const SIGNER = "Ledger's Klaytn app";

/** Instructions of app 1.1 and later. */
const later = { version: 0x03, name: 0x04, address: 0x05, sign: 0x06, more: 0x80 } as const;
/** Instructions of app 1.0, which has one for each base type of transactions; `more` and `continued` are bits of P2. */
const first = { configuration: 0x01, address: 0x02, more: 0x02, continued: 0x01 } as const;

/** Base types that both generations of the app sign, with the instruction of app 1.0. */
const INSTRUCTIONS: Partial<Record<TransactionEffect, number>> = {
  ethereum: 0x04,
  transfer: 0x08,
  memo: 0x10,
  deploy: 0x28,
  execute: 0x30,
  cancel: 0x38,
};

/** P1 of app 1.0, by fee mode. */
const PAYERS: Readonly<Record<FeeMode, number>> = { sender: 0, feePayer: 1, shared: 2 };

/** Sends a transaction to sign. @returns r and s */
type Sign = (
  transport: ReportTransport,
  path: DerivationPath,
  request: TransactionRequest,
) => Promise<Uint8Array>;

/**
 * Detects the Klaytn app, version 1.1 and later, by its name.
 * @see blooo-io/hw-app-klaytn 0.2, the vendor's client
 */
export async function probeKlaytnApp(transport: ReportTransport): Promise<LedgerApp | undefined> {
  const version = await send(transport, { instruction: later.version });
  const name = new TextDecoder().decode(await send(transport, { instruction: later.name }));
  if (version.length !== 3 || !/^(klaytn|kaia)/i.test(name)) return undefined;
  return new KlaytnApp(transport, readVersion(version), later.address, signLater);
}

/**
 * Detects version 1.0 of the Klaytn app, which has other instructions.
 * @see blooo-io/LedgerHQ-app-klaytn, doc/api.md
 */
export async function probeFirstKlaytnApp(transport: ReportTransport): Promise<LedgerApp | undefined> {
  const configuration = await send(transport, { instruction: first.configuration });
  if (configuration.length !== 4) return undefined;
  return new KlaytnApp(transport, readVersion(configuration.subarray(1)), first.address, signFirst);
}

class KlaytnApp implements LedgerApp {
  readonly name = "Klaytn";
  readonly version: Version;
  readonly bases: readonly DerivationPath[] = [[...DEFAULT_ROOT_PATH, 0]];
  readonly #transport: ReportTransport;
  readonly #address: number;
  readonly #sign: Sign;

  constructor(transport: ReportTransport, version: Version, address: number, sign: Sign) {
    this.#transport = transport;
    this.version = version;
    this.#address = address;
    this.#sign = sign;
  }

  async address(path: DerivationPath): Promise<Address> {
    return readAddress(await send(this.#transport, { instruction: this.#address, data: encodePath(path) }));
  }

  async signTransaction(path: DerivationPath, request: TransactionRequest): Promise<Uint8Array> {
    instructionOf(request.tx);
    return this.#sign(this.#transport, path, request);
  }

  async signText(_path: DerivationPath, _message: SignableMessage): Promise<never> {
    throw cannotSign(SIGNER, "messages");
  }
}

/** The path in a separate command, then the payload in numbered chunks. */
async function signLater(
  transport: ReportTransport,
  path: DerivationPath,
  request: TransactionRequest,
): Promise<Uint8Array> {
  const chunks = [encodePath(path), ...split(payloadToSign(request, SIGNER), MAX_DATA)];
  if (chunks.length > 0xff) throw cannotSign(SIGNER, "so large a transaction");
  const instruction = later.sign;
  for (const [p1, data] of chunks.slice(0, -1).entries())
    await send(transport, { instruction, p1, p2: later.more, data });
  const last = { instruction, p1: chunks.length - 1, data: chunks.at(-1) as Uint8Array };
  return readSignature(await send(transport, last, "user"));
}

/** The path and the payload as one stream. */
async function signFirst(
  transport: ReportTransport,
  path: DerivationPath,
  request: TransactionRequest,
): Promise<Uint8Array> {
  const { tx, chainId } = request;
  const stream = concat(encodePath(path), payloadToSign(request, SIGNER));
  const chunks = splitLeavingTail(stream, tailBytes(chainId));
  const command = { instruction: instructionOf(tx), p1: PAYERS[tx.type.feeMode] };
  for (const [i, data] of chunks.slice(0, -1).entries())
    await send(transport, { ...command, p2: first.more | (i === 0 ? 0 : first.continued), data });
  const last = {
    ...command,
    p2: chunks.length === 1 ? 0 : first.continued,
    data: chunks.at(-1) as Uint8Array,
  };
  return readSignature(await send(transport, last, "user"));
}

/** The instruction of app 1.0 for a type. @throws WalletError `CANNOT_SIGN` for types that neither generation signs */
function instructionOf({ type }: Transaction): number {
  const instruction = INSTRUCTIONS[type.effect];
  if (instruction === undefined || isEnveloped(type)) throw cannotSign(SIGNER, type.name);
  return instruction;
}
