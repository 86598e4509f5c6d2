/** Big-endian key of a block number, so that keys sort like numbers. */
export function numberKey(number: bigint): Uint8Array {
  const key = new Uint8Array(8);
  putNumber(key, 0, number);
  return key;
}

const scratch = new Uint8Array(8);
const scratchView = new DataView(scratch.buffer);

/** Writes a number, 8 bytes, big-endian. A view of the target would move its bytes out of V8's heap, which takes a microsecond. */
export function putNumber(target: Uint8Array, offset: number, number: bigint): void {
  scratchView.setBigUint64(0, number);
  target.set(scratch, offset);
}

/** The block number in the first 8 bytes of a key or value. */
export function numberOfKey(key: Uint8Array): bigint {
  return new DataView(key.buffer, key.byteOffset, 8).getBigUint64(0);
}
