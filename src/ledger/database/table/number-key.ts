/** Big-endian key of a block number, so that keys sort like numbers. */
export function numberKey(number: bigint): Uint8Array {
  const key = new Uint8Array(8);
  new DataView(key.buffer).setBigUint64(0, number);
  return key;
}

/** The block number in the first 8 bytes of a key or value. */
export function numberOfKey(key: Uint8Array): bigint {
  return new DataView(key.buffer, key.byteOffset, 8).getBigUint64(0);
}
