import { blockHash } from "../../../protocol/block/hash.ts";
import type { Header } from "../../../protocol/block/header.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import type { Rules } from "../../../protocol/params/forks.ts";
import { bytesToHex, hexQuantity } from "../../../protocol/primitives/hex.ts";
import { type Column, renderColumns, sorted } from "./columns.ts";

/** A header and the rules in force at it. */
export interface HeaderSource {
  readonly header: Header;
  readonly rules: Rules;
}

/** A block without its transactions, and their rendering. */
export interface BlockSource extends HeaderSource {
  /** Bytes of the encoded block. */
  readonly size: number;
  /** Rendered transactions or their hashes. */
  readonly transactions: Json[];
}

/** The blob gas of a header, from osaka on. */
export const blobColumns: readonly Column<HeaderSource>[] = [
  [
    "excessBlobGas",
    ({ header, rules }) => (rules.osaka ? hexQuantity(header.excessBlobGas ?? 0n) : undefined),
  ],
  ["blobGasUsed", ({ header, rules }) => (rules.osaka ? hexQuantity(header.blobGasUsed ?? 0n) : undefined)],
];

const headerColumns: readonly Column<HeaderSource>[] = [
  ["blockScore", ({ header }) => hexQuantity(header.blockScore)],
  ["extraData", ({ header }) => bytesToHex(header.extra)],
  ["gasUsed", ({ header }) => hexQuantity(header.gasUsed)],
  ["governanceData", ({ header }) => bytesToHex(header.governance)],
  ["hash", ({ header }) => bytesToHex(blockHash(header))],
  ["logsBloom", ({ header }) => bytesToHex(header.bloom)],
  ["number", ({ header }) => hexQuantity(header.number)],
  ["parentHash", ({ header }) => bytesToHex(header.parentHash)],
  ["receiptsRoot", ({ header }) => bytesToHex(header.receiptsRoot)],
  ["reward", ({ header }) => bytesToHex(header.rewardbase)],
  ["stateRoot", ({ header }) => bytesToHex(header.stateRoot)],
  ["timestamp", ({ header }) => hexQuantity(header.time)],
  ["timestampFoS", ({ header }) => hexQuantity(header.timeFoS)],
  ["transactionsRoot", ({ header }) => bytesToHex(header.transactionsRoot)],
  ["voteData", ({ header }) => bytesToHex(header.vote)],
  [
    "randomReveal",
    ({ header, rules }) => (rules.randao ? bytesToHex(header.randomReveal ?? NONE) : undefined),
  ],
  ...blobColumns,
];

const NONE = new Uint8Array(0);

/** The base fee from a fork on; 0 where the header has none. */
function baseFee(shown: (rules: Rules) => boolean): Column<HeaderSource> {
  return [
    "baseFeePerGas",
    ({ header, rules }) => (shown(rules) ? hexQuantity(header.baseFee ?? 0n) : undefined),
  ];
}

/** `mixHash`, which header objects spell `mixhash`. */
function mixHash(name: string): Column<HeaderSource> {
  return [name, ({ header, rules }) => (rules.randao ? bytesToHex(header.mixHash ?? NONE) : undefined)];
}

const headerLayout = sorted([...headerColumns, baseFee((rules) => rules.ethTxType), mixHash("mixhash")]);
const blockLayout = sorted<BlockSource>([
  ...headerColumns,
  baseFee((rules) => rules.magma),
  mixHash("mixHash"),
  ["size", ({ size }) => hexQuantity(size)],
  ["transactions", ({ transactions }) => transactions],
]);

/** A header as the chain namespace shows it, in events too. */
export function renderHeader(source: HeaderSource): { [key: string]: Json } {
  return renderColumns(headerLayout, source);
}

/** A block as the chain namespace shows it. */
export function renderBlock(source: BlockSource): { [key: string]: Json } {
  return renderColumns(blockLayout, source);
}
