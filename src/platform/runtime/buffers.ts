/** Bytes of the shortest buffer for input that arrives in pieces. */
const LEAST_BUFFER = 4096;

/** An array buffer that could grow (the type library of ES2023 lacks the option), which V8 maps from the system instead of allocating it from the C library. */
const MappedBuffer = ArrayBuffer as unknown as new (
  length: number,
  options: { readonly maxByteLength: number },
) => ArrayBuffer;

/**
 * A buffer of zeros whose memory is mapped, and returned to the system as soon as it is collected. The C library would keep it: it
 * serves blocks of any size from its heap once a large one has been freed, and there a few small blocks prevent megabytes from being
 * returned. Mapping and first touching a megabyte costs 0.6 ms.
 */
export function mappedBuffer(length: number): Buffer<ArrayBuffer> {
  return Buffer.from(new MappedBuffer(length, { maxByteLength: length }), 0, length);
}

/** A copy in memory of its own: the bytes may be part of a larger buffer, which they would keep alive. */
export function copyInOwnMemory(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Bytes of the buffers into which `MappedCopies` copies, one after the other. */
const SLAB_BYTES = 128 * 1024;

/** Copies of pieces that are kept until all of them are dropped together, in memory that then returns to the system (`mappedBuffer`). */
export class MappedCopies {
  #slab = Buffer.alloc(0);

  copy(bytes: Uint8Array): Buffer {
    const { length } = bytes;
    if (length > this.#slab.length) this.#slab = mappedBuffer(Math.max(length, SLAB_BYTES));
    const copy = this.#slab.subarray(0, length);
    copy.set(bytes);
    this.#slab = this.#slab.subarray(length);
    return copy;
  }
}

/**
 * Makes room for input that arrives in pieces. A buffer that is too short is replaced by one of at least twice its length, so that
 * each byte is copied once or twice, however small the pieces are.
 * @param used - bytes of the buffer that are in use
 * @param needed - bytes that it must have room for
 */
export function withRoom(buffer: Buffer, used: number, needed: number): Buffer {
  if (needed <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * buffer.length, LEAST_BUFFER));
  buffer.copy(larger, 0, 0, used);
  return larger;
}
