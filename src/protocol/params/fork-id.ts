import type { Hash } from "../primitives/bytes.ts";
import type { ChainConfig } from "./config.ts";

/** Blocks at which the rules change, ascending, each once; block 0 is left out. */
export function forkBlocks({ forks, kip103, kip160 }: ChainConfig): readonly bigint[] {
  const blocks = [...Object.values(forks), kip103?.block, kip160?.block];
  const changing = blocks.filter((block): block is bigint => block !== undefined && block > 0n);
  return [...new Set(changing)].sort((a, b) => (a < b ? -1 : 1));
}

/**
 * Checksum of the genesis hash and the forks passed at block `head`, 4 bytes: equal on two nodes with equal rules.
 * @see EIP-2124
 */
export function forkId(config: ChainConfig, genesisHash: Hash, head: bigint): Uint8Array {
  let sum = crc32(genesisHash, 0);
  for (const block of forkBlocks(config)) if (block <= head) sum = crc32(bigEndian(block), sum);
  return bigEndian(BigInt(sum)).subarray(4);
}

function bigEndian(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}

/** IEEE CRC-32 of `before ‖ bytes`, where `sum` is that of `before`. */
function crc32(bytes: Uint8Array, sum: number): number {
  let crc = ~sum;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
