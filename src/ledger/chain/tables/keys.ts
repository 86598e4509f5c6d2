/** Big-endian key of a block number; numbers sort as keys. */
export function numberKey(number: bigint): Uint8Array {
  const key = new Uint8Array(8);
  new DataView(key.buffer).setBigUint64(0, number);
  return key;
}

/** The block number in a key or value of 8 bytes. */
export function numberOfKey(key: Uint8Array): bigint {
  return new DataView(key.buffer, key.byteOffset, 8).getBigUint64(0);
}
