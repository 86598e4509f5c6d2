import { bigintToBytes, concat } from "../../primitives/bytes.ts";
import { NodeError } from "../../primitives/errors.ts";

/** A decoded RLP item: a byte string or a list of items. */
export type Item = Uint8Array | readonly Item[];

export class RlpError extends NodeError<
  "RLP_TRAILING_BYTES" | "RLP_SHORT_INPUT" | "RLP_NOT_CANONICAL" | "RLP_SHAPE"
> {
  override name = "RlpError";
}

function header(length: number, offset: 0x80 | 0xc0): Uint8Array {
  if (length < 56) return Uint8Array.of(offset + length);
  const size = bigintToBytes(BigInt(length));
  return concat(Uint8Array.of(offset + 55 + size.length), size);
}

export function encodeItem(item: Item): Uint8Array {
  if (item instanceof Uint8Array) {
    const single = item.length === 1 && (item[0] as number) < 0x80;
    return single ? item : concat(header(item.length, 0x80), item);
  }
  const body = concat(...item.map(encodeItem));
  return concat(header(body.length, 0xc0), body);
}

export function decodeItem(bytes: Uint8Array): Item {
  const [item, end] = decodeAt(bytes, 0);
  if (end !== bytes.length) throw new RlpError("RLP_TRAILING_BYTES", "bytes after the item", { end });
  return item;
}

function decodeAt(bytes: Uint8Array, start: number): [Item, number] {
  const tag = bytes[start];
  if (tag === undefined) throw new RlpError("RLP_SHORT_INPUT", "no item", { start });
  if (tag < 0x80) return [bytes.subarray(start, start + 1), start + 1];
  const list = tag >= 0xc0;
  const short = tag - (list ? 0xc0 : 0x80);
  const sizeOfLength = Math.max(0, short - 55);
  const from = start + 1 + sizeOfLength;
  const length = sizeOfLength === 0 ? short : readLength(bytes.subarray(start + 1, from), sizeOfLength);
  const end = from + length;
  if (end > bytes.length) throw new RlpError("RLP_SHORT_INPUT", "item longer than the input", { start, end });
  if (!list) {
    const value = bytes.subarray(from, end);
    if (length === 1 && (value[0] as number) < 0x80)
      throw new RlpError("RLP_NOT_CANONICAL", "byte with a header", { start });
    return [value, end];
  }
  const items: Item[] = [];
  for (let at = from; at < end; ) {
    const [item, next] = decodeAt(bytes, at);
    items.push(item);
    at = next;
  }
  return [items, end];
}

function readLength(bytes: Uint8Array, size: number): number {
  if (bytes.length !== size) throw new RlpError("RLP_SHORT_INPUT", "length cut short");
  const length = bytes.reduce((n, b) => n * 256 + b, 0);
  if (bytes[0] === 0 || length < 56)
    throw new RlpError("RLP_NOT_CANONICAL", "length not minimal", { length });
  return length;
}
