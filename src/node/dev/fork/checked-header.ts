import { blockHash } from "../../../protocol/block/hash.ts";
import type { Header } from "../../../protocol/block/header.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { bytesOf, illFormed, objectOf, quantityOf } from "./remote-values.ts";

/**
 * The header in a Kaia or Klaytn node's response, verified against the hash of the block.
 * @param answer - to `kaia_getBlockByNumber` or `klay_getBlockByNumber`
 * @param hash - the block's hash
 * @throws ForkError `REMOTE_FAILED` for a response that is not a header, or is that of another block
 */
export function checkedHeader(answer: Json, method: string, hash: Hash): Header {
  const header = headerOf(objectOf(answer, method), method);
  if (equalBytes(blockHash(header), hash)) return header;
  const { baseFee, ...older } = header; // some nodes show a base fee of 0 if the header has none
  if (baseFee === 0n && equalBytes(blockHash(older), hash)) return older;
  throw illFormed(method, `is a header that does not have the hash of block ${header.number}`);
}

function headerOf(block: Readonly<Record<string, Json>>, method: string): Header {
  const bytes = (name: string, length?: number): Uint8Array => bytesOf(block[name], method, length);
  const quantity = (name: string, bits?: number): bigint => quantityOf(block[name], method, bits);
  const has = (name: string): boolean => (block[name] ?? null) !== null;
  const mixHash = has("mixHash") ? "mixHash" : "mixhash";
  return {
    parentHash: bytes("parentHash", 32),
    rewardbase: bytes("reward", 20),
    stateRoot: bytes("stateRoot", 32),
    transactionsRoot: bytes("transactionsRoot", 32),
    receiptsRoot: bytes("receiptsRoot", 32),
    bloom: bytes("logsBloom", 256),
    blockScore: quantity(has("blockScore") ? "blockScore" : "blockscore"), // Klaytn's spelling
    number: quantity("number", 64),
    gasUsed: quantity("gasUsed", 64),
    time: quantity("timestamp", 64),
    timeFoS: Number(quantity("timestampFoS", 8)),
    extra: bytes("extraData"),
    governance: bytes("governanceData"),
    vote: bytes("voteData"),
    ...(has("baseFeePerGas") && { baseFee: quantity("baseFeePerGas") }),
    ...(has("randomReveal") && { randomReveal: bytes("randomReveal", 96) }),
    ...(has(mixHash) && { mixHash: bytes(mixHash, 32) }),
    ...(has("blobGasUsed") && { blobGasUsed: quantity("blobGasUsed", 64) }),
    ...(has("excessBlobGas") && { excessBlobGas: quantity("excessBlobGas", 64) }),
  };
}
