import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { PinnedState } from "../../../ledger/state/pinned-state.ts";
import type { Pace } from "../../../platform/runtime/turns/pace.ts";
import { hasStorage } from "../../../protocol/account/account.ts";
import { encodeAccountKey } from "../../../protocol/account/key-codec.ts";
import { type Address, leftPad } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { DevError } from "../errors.ts";
import { DUMP_VERSION, type Dump, type DumpedAccount } from "./dump-format.ts";

/** What a dump was made from. */
export interface DumpedChain {
  readonly number: bigint;
  readonly chainId: bigint;
  /** Whether the state is a fork's, of which only what was changed here is dumped. */
  readonly isPart: boolean;
}

const pack = promisify(gzip);

/** How a state is packed. */
export interface PackLimits {
  /** Aborts it when the caller has disconnected. */
  readonly pace: Pace;
  /** Maximum length of the text that is packed. */
  readonly characters: number;
}

/** Characters of a slot in the text. */
const SLOT_CHARACTERS = 2 * 66 + 6;

/**
 * Packs a state: gzipped JSON in the form of anvil's dumps, which anvil reads too. Yields now and then.
 * @throws DevError `STATE_SIZE`; StateError `STATE_STALE` when the state is not what it was
 */
export async function dumpState(
  state: PinnedState,
  at: DumpedChain,
  limits: PackLimits,
): Promise<Uint8Array> {
  const { pace } = limits;
  const text = new DumpText(limits.characters);
  const kairn = { version: DUMP_VERSION, chainId: quantity(at.chainId), ...(at.isPart && { isPart: true }) };
  const about: Omit<Dump, "accounts"> = { kairn, block: null, best_block_number: Number(at.number) };
  text.add(JSON.stringify(about).slice(0, -1));
  text.add(',"accounts":{');
  let comma = "";
  for await (const records of state.accounts())
    for (const { address, account } of records) {
      const dumped: DumpedAccount = {
        nonce: Number(account.nonce),
        balance: quantity(account.balance),
        code: bytesToHex(state.view.code(account.codeHash)),
        storage: hasStorage(account) ? await storageOf(state, address, text) : {},
        kaia: {
          type: account.type,
          key: bytesToHex(encodeAccountKey(account.key)),
          codeInfo: account.codeInfo,
        },
      };
      text.add(`${comma}"${bytesToHex(address)}":${JSON.stringify(dumped)}`);
      comma = ",";
      if (pace.isDue()) await pace.yield();
    }
  text.add("}}");
  return pack(await text.joined(pace));
}

async function storageOf(
  state: PinnedState,
  address: Address,
  text: DumpText,
): Promise<Record<string, string>> {
  const storage: Record<string, string> = {};
  let count = 0;
  for await (const records of state.slots(address)) {
    for (const { slot, value } of records) storage[bytesToHex(slot)] = word(value);
    count += records.length;
    text.checkRoom(count * SLOT_CHARACTERS);
  }
  return storage;
}

/** Bytes of a text's chunk. */
const CHUNK = 64 * 1024;

/**
 * An ASCII text up to a limit, as bytes: a million strings would be moved by V8's collections again and again.
 */
class DumpText {
  readonly #chunks: Buffer[] = [];
  readonly #maxLength: number;
  #chunk = Buffer.allocUnsafeSlow(CHUNK);
  /** Bytes of `#chunk` in use. */
  #used = 0;
  #length = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  add(part: string): void {
    this.checkRoom(part.length);
    this.#length += part.length;
    if (part.length > this.#chunk.length - this.#used) {
      this.#chunks.push(this.#chunk.subarray(0, this.#used));
      this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK, part.length));
      this.#used = 0;
    }
    this.#used += this.#chunk.write(part, this.#used, "latin1");
  }

  /** @throws DevError `STATE_SIZE` when there is no room for so many characters more */
  checkRoom(characters: number): void {
    if (this.#length + characters <= this.#maxLength) return;
    throw new DevError(
      "STATE_SIZE",
      `the state is too large: its text has more than ${this.#maxLength} characters`,
    );
  }

  /** All bytes, joined in slices. */
  async joined(pace: Pace): Promise<Uint8Array> {
    const bytes = Buffer.alloc(this.#length);
    let at = 0;
    for (const chunk of [...this.#chunks, this.#chunk.subarray(0, this.#used)]) {
      bytes.set(chunk, at);
      at += chunk.length;
      if (pace.isDue()) await pace.yield();
    }
    return bytes;
  }
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}

function word(value: Uint8Array): string {
  return bytesToHex(leftPad(value, 32));
}
