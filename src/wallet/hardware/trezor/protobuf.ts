import { concat } from "../../../protocol/primitives/bytes.ts";
import { WalletError } from "../../errors.ts";

const VARINT = 0;
const BYTES = 2;

/** A varint field. @see Protocol Buffers, encoding */
export function uintField(number: number, value: bigint | number): Uint8Array {
  return concat(varint(BigInt((number << 3) | VARINT)), varint(BigInt(value)));
}

/** A length-delimited field. */
export function bytesField(number: number, value: Uint8Array): Uint8Array {
  return concat(varint(BigInt((number << 3) | BYTES)), varint(BigInt(value.length)), value);
}

/** A string field. */
export function textField(number: number, value: string): Uint8Array {
  return bytesField(number, new TextEncoder().encode(value));
}

function varint(value: bigint): Uint8Array {
  const out: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) out.push(Number(rest & 0x7fn) | 0x80);
  out.push(Number(rest));
  return Uint8Array.from(out);
}

/** The decoded fields of a message, by number; values of repeated fields in order. */
export class Fields {
  readonly #values = new Map<number, (bigint | Uint8Array)[]>();
  readonly #body: Uint8Array;
  #at = 0;

  /** @throws WalletError `DEVICE_ANSWER` when the body is malformed */
  constructor(body: Uint8Array) {
    this.#body = body;
    while (this.#at < body.length) this.#readField();
  }

  /** A varint field; 0 when absent. */
  uint(number: number): bigint {
    const value = this.#values.get(number)?.at(-1);
    return typeof value === "bigint" ? value : 0n;
  }

  /** A repeated varint field. */
  uints(number: number): bigint[] {
    return (this.#values.get(number) ?? []).filter((value) => typeof value === "bigint");
  }

  /** A length-delimited field; empty when absent. */
  bytes(number: number): Uint8Array {
    return this.allBytes(number).at(-1) ?? new Uint8Array(0);
  }

  /** A repeated length-delimited field. */
  allBytes(number: number): Uint8Array[] {
    return (this.#values.get(number) ?? []).filter((value) => value instanceof Uint8Array);
  }

  text(number: number): string {
    return new TextDecoder().decode(this.bytes(number));
  }

  #readField(): void {
    const key = Number(this.#readVarint());
    const values = this.#values.get(key >> 3) ?? [];
    this.#values.set(key >> 3, values);
    switch (key & 7) {
      case VARINT:
        values.push(this.#readVarint());
        break;
      case BYTES:
        values.push(this.#take(Number(this.#readVarint())));
        break;
      default:
        throw malformed();
    }
  }

  #readVarint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 64n; shift += 7n) {
      const [byte = 0] = this.#take(1);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw malformed();
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#body.length) throw malformed();
    const bytes = this.#body.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}

function malformed(): WalletError {
  return new WalletError("DEVICE_ANSWER", "trezor: the reply cannot be read");
}
