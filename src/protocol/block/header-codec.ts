import { encodeItem, type Item } from "../codec/rlp/item.ts";
import { RlpReader } from "../codec/rlp/reader.ts";
import { bigintToBytes, EMPTY_BYTES } from "../primitives/bytes.ts";
import type { Header } from "./header.ts";

/** RLP of a header. A trailing field that is present forces the ones before it, empty when they are absent. */
export function encodeHeader(header: Header): Uint8Array {
  return encodeItem(headerItem(header));
}

/** RLP item of a header whose extra data is `extra` (by default its own): hashes leave parts of the extra data out. */
export function headerItem(header: Header, extra: Uint8Array = header.extra): Item {
  return [
    header.parentHash,
    header.rewardbase,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.bloom,
    bigintToBytes(header.blockScore),
    bigintToBytes(header.number),
    bigintToBytes(header.gasUsed),
    bigintToBytes(header.time),
    header.timeFoS === 0 ? EMPTY_BYTES : Uint8Array.of(header.timeFoS),
    extra,
    header.governance,
    header.vote,
    ...trailingItems(header),
  ];
}

function trailingItems(header: Header): Item[] {
  const fields = [
    uintItem(header.baseFee),
    header.randomReveal,
    header.mixHash,
    uintItem(header.blobGasUsed),
    uintItem(header.excessBlobGas),
  ];
  const present = fields.findLastIndex((field) => field !== undefined) + 1;
  return fields.slice(0, present).map((field) => field ?? EMPTY_BYTES);
}

function uintItem(value: bigint | undefined): Uint8Array | undefined {
  return value === undefined ? undefined : bigintToBytes(value);
}

/**
 * Decodes the RLP of a header, which must fill the input.
 * @returns byte fields are views of the input
 * @throws RlpError
 */
export function decodeHeader(bytes: Uint8Array): Header {
  const reader = new RlpReader(bytes);
  reader.enterList("types.Header");
  const header = { ...readMandatory(reader), ...readTrailing(reader) };
  reader.leaveList();
  reader.finish();
  return header;
}

function readMandatory(reader: RlpReader): Header {
  return {
    parentHash: reader.fixed(32, "common.Hash"),
    rewardbase: reader.fixed(20, "common.Address"),
    stateRoot: reader.fixed(32, "common.Hash"),
    transactionsRoot: reader.fixed(32, "common.Hash"),
    receiptsRoot: reader.fixed(32, "common.Hash"),
    bloom: reader.fixed(256, "types.Bloom"),
    blockScore: reader.uint(),
    number: reader.uint(),
    gasUsed: reader.uint("uint64", 8),
    time: reader.uint(),
    timeFoS: reader.number(),
    extra: reader.bytes(),
    governance: reader.bytes(),
    vote: reader.bytes(),
  };
}

function readTrailing(reader: RlpReader): Partial<Header> {
  return {
    ...(!reader.atEnd && { baseFee: reader.uint() }),
    ...bytesUnlessPlaceholder("randomReveal", reader),
    ...bytesUnlessPlaceholder("mixHash", reader),
    ...(!reader.atEnd && { blobGasUsed: reader.uint("uint64", 8) }),
    ...(!reader.atEnd && { excessBlobGas: reader.uint("uint64", 8) }),
  };
}

/**
 * An empty byte field followed by others stands for an absent one: it only keeps the positions of the others. The
 * reference node treats it as present, and so rejects headers of a chain with osaka but without randao.
 */
function bytesUnlessPlaceholder(name: "randomReveal" | "mixHash", reader: RlpReader): Partial<Header> {
  if (reader.atEnd) return {};
  const bytes = reader.bytes();
  return bytes.length === 0 && !reader.atEnd ? {} : { [name]: bytes };
}
