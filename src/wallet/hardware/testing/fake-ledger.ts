import { decodeItem } from "../../../protocol/codec/rlp/item.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { bytesToBigint, concat } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { commandToReports, ResponseAssembler } from "../ledger/framing.ts";
import type { FakeDevice } from "./fake-bus.ts";
import { type FakeKeys, testKeys } from "./fake-keys.ts";

/** The open app. */
export type FakeApp = "ethereum" | "klaytn" | "klaytn-1.0" | "none";

/** Whether the user of a device confirms; a promise lets a test decide later. */
export type Owner = (what: string) => boolean | Promise<boolean>;

const OK = 0x9000;
const FIRST_KLAYTN = new Set([0x04, 0x08, 0x10, 0x28, 0x30, 0x38]);

class Status extends Error {
  readonly word: number;

  constructor(word: number) {
    super(`status ${word.toString(16)}`);
    this.word = word;
  }
}

/** A software Ledger with real keys: the Ethereum app and both generations of the Klaytn app. */
export class FakeLedger implements FakeDevice {
  readonly vendorId = 0x2c97;
  productId = 0x0004;
  app: FakeApp;
  version: readonly [number, number, number];
  isLocked = false;
  /** Never responds. */
  isSilent = false;
  /** Corrupts every signature. */
  signsWrongly = false;
  owner: Owner = () => true;
  readonly keys: FakeKeys;
  /** Commands and responses in hex, alternating. */
  readonly log: string[] = [];
  #command = new ResponseAssembler();
  #collected: { path: number[]; data: Uint8Array } | undefined;

  constructor({
    app = "ethereum",
    version,
    keys,
  }: { app?: FakeApp; version?: [number, number, number]; keys?: FakeKeys } = {}) {
    this.app = app;
    this.version = version ?? (app === "klaytn" ? [1, 1, 0] : app === "klaytn-1.0" ? [1, 0, 0] : [1, 12, 1]);
    this.keys = keys ?? testKeys;
  }

  reset(): void {
    this.#command = new ResponseAssembler();
    this.#collected = undefined;
  }

  async receive(report: Uint8Array): Promise<readonly Uint8Array[]> {
    if (this.isSilent) return [];
    const command = this.#command.push(report);
    if (command === undefined) return [];
    this.#command = new ResponseAssembler();
    return commandToReports(await this.exchange(command));
  }

  /** Executes a command. @returns data and status word */
  async exchange(command: Uint8Array): Promise<Uint8Array> {
    const answer = await this.#answer(command);
    this.log.push(bytesToHex(command).slice(2), bytesToHex(answer).slice(2));
    return answer;
  }

  async #answer(command: Uint8Array): Promise<Uint8Array> {
    const [cla, ins = 0, p1 = 0, p2 = 0, length] = command;
    const data = command.slice(5);
    try {
      if (data.length !== length) throw new Status(0x6700);
      if (this.isLocked) throw new Status(0x5515);
      if (cla !== 0xe0 || this.app === "none") throw new Status(0x6e00);
      const answer = await this.#apps[this.app](ins, p1, p2, data);
      return concat(answer, word(OK));
    } catch (error) {
      return word(error instanceof Status ? error.word : 0x6a80);
    }
  }

  readonly #apps = {
    ethereum: async (ins: number, p1: number, _p2: number, data: Uint8Array): Promise<Uint8Array> => {
      if (ins === 0x06) return Uint8Array.of(1, ...this.version);
      if (ins === 0x02) return this.#publicKey(data);
      if (ins !== 0x04 && ins !== 0x08) throw new Status(0x6d00);
      const { path, data: all } = this.#collect(p1 === 0, data);
      if (ins === 0x08) return this.#signMessage(path, all);
      const typed = (all[0] as number) < 0x80;
      if (!isWhole(all.subarray(typed ? 1 : 0))) return new Uint8Array(0);
      return this.#sign(path, all, (parity) => (typed ? parity : legacyV(all, parity)));
    },
    klaytn: async (ins: number, p1: number, p2: number, data: Uint8Array): Promise<Uint8Array> => {
      if (ins === 0x03) return Uint8Array.of(...this.version);
      if (ins === 0x04) return new TextEncoder().encode("Klaytn");
      if (ins === 0x05) return concat(await this.#publicKey(data), Uint8Array.of(32), new Uint8Array(32));
      if (ins !== 0x06) throw new Status(0x6d00);
      if (p1 === 0 ? p2 !== 0x80 : p2 !== 0 && p2 !== 0x80) throw new Status(0x6a86);
      const { path, data: all } = this.#collect(p1 === 0, data);
      if (p2 === 0x80) return new Uint8Array(0);
      return this.#sign(path, checkedRlp(all), (parity) => 35 + parity);
    },
    "klaytn-1.0": async (ins: number, p1: number, p2: number, data: Uint8Array): Promise<Uint8Array> => {
      if (ins === 0x01) return Uint8Array.of(1, ...this.version);
      if (ins === 0x02) return this.#publicKey(data);
      if (!FIRST_KLAYTN.has(ins) || p1 > 2) throw new Status(0x6d00);
      const { path, data: all } = this.#collect((p2 & 1) === 0, data);
      if ((p2 & 2) !== 0) return new Uint8Array(0);
      return this.#sign(path, checkedRlp(all), (parity) => 35 + parity);
    },
  };

  async #publicKey(data: Uint8Array): Promise<Uint8Array> {
    const { path } = readPath(data);
    const digits = new TextEncoder().encode(bytesToHex(this.keys.address(path)).slice(2));
    return concat(Uint8Array.of(65, 4), this.keys.publicKey(path), Uint8Array.of(40), digits);
  }

  #collect(isFirst: boolean, data: Uint8Array): { path: number[]; data: Uint8Array } {
    if (isFirst) this.#collected = readPath(data);
    else if (this.#collected === undefined) throw new Status(0x6a80);
    else this.#collected.data = concat(this.#collected.data, data);
    return this.#collected;
  }

  async #signMessage(path: number[], all: Uint8Array): Promise<Uint8Array> {
    const text = all.subarray(4);
    if (text.length < new DataView(all.buffer, all.byteOffset).getUint32(0)) return new Uint8Array(0);
    const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${text.length}`);
    return this.#sign(path, concat(prefix, text), (parity) => 27 + parity);
  }

  async #sign(path: number[], payload: Uint8Array, v: (parity: number) => number): Promise<Uint8Array> {
    this.#collected = undefined;
    if (!(await this.owner(bytesToHex(payload)))) throw new Status(0x6985);
    const { parity, rs } = this.keys.sign(path, keccak256(payload));
    if (this.signsWrongly) rs[10] = (rs[10] as number) ^ 1;
    return concat(Uint8Array.of(v(parity)), rs);
  }
}

function word(status: number): Uint8Array {
  return Uint8Array.of(status >> 8, status & 0xff);
}

function readPath(data: Uint8Array): { path: number[]; data: Uint8Array } {
  const view = new DataView(data.buffer, data.byteOffset);
  const path = Array.from({ length: data[0] as number }, (_, i) => view.getUint32(1 + 4 * i));
  return { path, data: data.slice(1 + 4 * path.length) };
}

/** The apps show what they sign, so they decode it first. */
function checkedRlp(bytes: Uint8Array): Uint8Array {
  decodeItem(bytes);
  return bytes;
}

function isWhole(list: Uint8Array): boolean {
  try {
    decodeItem(list);
    return true;
  } catch {
    return false;
  }
}

/** The low byte of v. @see EIP-155 */
function legacyV(list: Uint8Array, parity: number): number {
  const chainId = bytesToBigint((decodeItem(list) as Uint8Array[])[6] as Uint8Array);
  return Number((chainId * 2n + 35n + BigInt(parity)) & 0xffn);
}
