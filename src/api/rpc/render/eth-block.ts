import { blockHash } from "../../../protocol/block/hash.ts";
import type { Header } from "../../../protocol/block/header.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { UPPER_GAS_LIMIT } from "../../../protocol/params/gas.ts";
import { type Address, ZERO_HASH } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexQuantity } from "../../../protocol/primitives/hex.ts";
import { type BlockSource, blobColumns, type HeaderSource } from "./block.ts";
import { type Column, renderColumns, sorted } from "./columns.ts";

/** Keccak-256 of the RLP of an empty list. */
const NO_UNCLES = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347";

interface EthHeaderSource extends HeaderSource {
  /** Validator that proposed the block. */
  readonly author: Address;
  /** Sum of the block scores up to this block; absent where it is not shown. */
  readonly totalDifficulty?: bigint | undefined;
}

const columns: readonly Column<EthHeaderSource>[] = [
  ["difficulty", ({ header }) => hexQuantity(header.blockScore)],
  ["extraData", () => "0x"],
  ["gasLimit", () => hexQuantity(UPPER_GAS_LIMIT)],
  ["gasUsed", ({ header }) => hexQuantity(header.gasUsed)],
  ["hash", ({ header }) => bytesToHex(blockHash(header))],
  ["logsBloom", ({ header }) => bytesToHex(header.bloom)],
  ["miner", ({ author }) => bytesToHex(author)],
  ["mixHash", ({ header, rules }) => bytesToHex(rules.randao ? (header.mixHash ?? ZERO_HASH) : ZERO_HASH)],
  ["nonce", () => "0x0000000000000000"],
  ["number", ({ header }) => hexQuantity(header.number)],
  ["parentHash", ({ header }) => bytesToHex(header.parentHash)],
  ["receiptsRoot", ({ header }) => bytesToHex(header.receiptsRoot)],
  ["sha3Uncles", () => NO_UNCLES],
  ["stateRoot", ({ header }) => bytesToHex(header.stateRoot)],
  ["timestamp", ({ header }) => hexQuantity(header.time)],
  [
    "totalDifficulty",
    ({ totalDifficulty }) => (totalDifficulty === undefined ? undefined : hexQuantity(totalDifficulty)),
  ],
  ["transactionsRoot", ({ header }) => bytesToHex(header.transactionsRoot)],
  ["baseFeePerGas", ({ header, rules }) => (rules.ethTxType ? hexQuantity(header.baseFee ?? 0n) : undefined)],
  [
    "randomReveal",
    ({ header, rules }) => (rules.randao ? bytesToHex(header.randomReveal ?? ZERO_HASH) : undefined),
  ],
  ...blobColumns,
];

const headerLayout = sorted<EthHeaderSource>([
  ...columns,
  ["size", ({ header }) => hexQuantity(memorySize(header))],
]);
const blockLayout = sorted<EthHeaderSource & BlockSource>([
  ...columns,
  ["size", ({ size }) => hexQuantity(size)],
  ["transactions", ({ transactions }) => transactions],
  ["uncles", () => []],
]);

/** Size in bytes of a header without its variable parts in the memory of the reference node v2.2.1. */
const CONSTANT_SIZE = 592;

/** The size of a header as returned by the reference: memory instead of the length of its encoding. */
function memorySize(header: Header): number {
  const { extra, governance, vote, randomReveal, mixHash } = header;
  const parts = [extra, governance, vote, randomReveal, mixHash];
  const bytes = parts.reduce((sum, part) => sum + (part?.length ?? 0), 0);
  const integers = bitLength(header.blockScore) + bitLength(header.number) + bitLength(header.time);
  return CONSTANT_SIZE + bytes + (integers >> 3) + (bitLength(header.baseFee ?? 0n) >> 3);
}

function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

/** A header as Ethereum clients expect it. */
export function renderEthHeader(source: EthHeaderSource): { [key: string]: Json } {
  return renderColumns(headerLayout, source);
}

/** A block as Ethereum clients expect it. */
export function renderEthBlock(source: EthHeaderSource & BlockSource): { [key: string]: Json } {
  return renderColumns(blockLayout, source);
}
