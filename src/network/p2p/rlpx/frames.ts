import { type Cipher, createCipheriv, createDecipheriv, type Decipher, timingSafeEqual } from "node:crypto";
import type { Keccak256 } from "../../../protocol/crypto/keccak.ts";
import { allocateBytes, concat } from "../../../protocol/primitives/bytes.ts";
import { PeerError } from "../errors.ts";
import type { SessionSecrets } from "./handshake.ts";

const BLOCK_BYTES = 16;
const HEADER_BYTES = 16;
const MAC_BYTES = 16;
const HEAD_BYTES = HEADER_BYTES + MAC_BYTES;
/** Header data of an unchunked message: the list `[0, 0]`. */
const HEADER_DATA = Uint8Array.of(0xc2, 0x80, 0x80);
/** Maximum body of a frame in bytes: its size field has three bytes. */
export const MAX_FRAME_BYTES: number = 2 ** 24 - 1;

/**
 * A body is decrypted in chunks of this size while it arrives, so that no step takes long. Smaller chunks are merged, so that a frame that
 * arrives byte by byte takes little more memory than its size.
 */
const CHUNK_BYTES = 1 << 16;

const PADDING = new Uint8Array(BLOCK_BYTES);

/**
 * Encrypts the bodies of one direction of a session. @see devp2p, RLPx, "Framing"
 */
export class FrameWriter {
  readonly #cipher: Cipher;
  readonly #mac: FrameMac;

  constructor({ aes, mac, egress }: SessionSecrets) {
    this.#cipher = createCipheriv("aes-256-ctr", aes, PADDING);
    this.#mac = new FrameMac(mac, egress);
  }

  /**
   * The frame of a body: `header (16) ‖ MAC (16) ‖ body, padded to 16 ‖ MAC (16)`, in new bytes.
   * @throws PeerError `FRAME` when the body is larger than a frame can be
   */
  write(body: Uint8Array): Uint8Array {
    const size = body.length;
    if (size > MAX_FRAME_BYTES) throw new PeerError("FRAME", "message size overflows uint24");
    const frame = allocateBytes(HEAD_BYTES + padded(size) + MAC_BYTES);
    const header = new Uint8Array(HEADER_BYTES);
    header.set([size >> 16, (size >> 8) & 0xff, size & 0xff, ...HEADER_DATA]);
    const encryptedHeader = this.#cipher.update(header);
    frame.set(encryptedHeader);
    frame.set(this.#mac.ofHeader(encryptedHeader), HEADER_BYTES);
    frame.set(this.#cipher.update(body), HEAD_BYTES);
    frame.set(this.#cipher.update(PADDING.subarray(0, padded(size) - size)), HEAD_BYTES + size);
    const end = HEAD_BYTES + padded(size);
    this.#mac.addBody(frame.subarray(HEAD_BYTES, end));
    frame.set(this.#mac.ofBody(), end);
    return frame;
  }
}

/** An incremental decoder of the frames of one direction of a session. */
export class FrameReader {
  readonly #decipher: Decipher;
  readonly #mac: FrameMac;
  #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #buffered = 0;
  /** The body whose header has been read, as far as it has arrived. */
  #body: { readonly size: number; left: number; readonly pieces: Uint8Array[] } | undefined;

  /** @param maxBytes - larger bodies are rejected on reading their header, before anything is buffered */
  constructor({ aes, mac, ingress }: SessionSecrets, maxBytes: number = MAX_FRAME_BYTES) {
    this.#decipher = createDecipheriv("aes-256-ctr", aes, PADDING);
    this.#mac = new FrameMac(mac, ingress);
    this.#maxBytes = maxBytes;
  }

  /** Changes the maximum size of bodies. */
  allow(maxBytes: number): void {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of an incomplete frame. */
  get held(): number {
    return this.#buffered + (this.#body === undefined ? 0 : padded(this.#body.size) - this.#body.left);
  }

  /** Number of bytes missing until the next read can make progress. */
  get missing(): number {
    const wanted = this.#body === undefined ? HEAD_BYTES : this.#body.left + MAC_BYTES;
    return Math.max(0, wanted - this.#buffered);
  }

  /** Adds input; the bytes must not be modified afterwards. */
  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#buffered += bytes.length;
    let piece = bytes;
    for (let before = this.#chunks.at(-1); before !== undefined; before = this.#chunks.at(-1)) {
      if (before.length > piece.length || piece.length > CHUNK_BYTES) break;
      this.#chunks.pop();
      piece = concat(before, piece);
    }
    this.#chunks.push(piece);
  }

  /**
   * The next complete body; undefined while it is incomplete.
   * @throws PeerError `FRAME` if a MAC is invalid or the body too large; nothing can be read afterwards
   */
  next(): Uint8Array | undefined {
    if (this.#body === undefined) {
      if (this.#buffered < HEAD_BYTES) return undefined;
      const size = this.#openHeader(this.#take(HEAD_BYTES));
      this.#body = { size, left: padded(size), pieces: [] };
    }
    const body = this.#body;
    while (body.left > 0 && this.#buffered >= Math.min(body.left, CHUNK_BYTES)) {
      const piece = this.#take(Math.min(body.left, CHUNK_BYTES));
      body.left -= piece.length;
      this.#mac.addBody(piece);
      body.pieces.push(this.#decipher.update(piece));
    }
    if (body.left > 0 || this.#buffered < MAC_BYTES) return undefined;
    if (!timingSafeEqual(this.#mac.ofBody(), this.#take(MAC_BYTES)))
      throw new PeerError("FRAME", "bad frame MAC");
    this.#body = undefined;
    const { size, pieces } = body;
    const [first] = pieces as [Uint8Array];
    const whole = pieces.length === 1 ? first : concat(...pieces);
    // Never a Buffer, whose `slice` does not copy.
    return new Uint8Array(whole.buffer, whole.byteOffset, size);
  }

  #openHeader(head: Uint8Array): number {
    const encrypted = head.subarray(0, HEADER_BYTES);
    if (!timingSafeEqual(this.#mac.ofHeader(encrypted), head.subarray(HEADER_BYTES))) {
      throw new PeerError("FRAME", "bad header MAC");
    }
    const header = this.#decipher.update(encrypted);
    const size = header.readUIntBE(0, 3);
    if (size > this.#maxBytes) throw new PeerError("FRAME", `frame of ${size} bytes is too large`);
    return size;
  }

  /** Consumes the first `length` bytes of the buffer. */
  #take(length: number): Uint8Array {
    this.#buffered -= length;
    const first = this.#chunks[0] as Uint8Array;
    if (first.length > length) {
      this.#chunks[0] = first.subarray(length);
      return first.subarray(0, length);
    }
    if (first.length === length) {
      this.#chunks.shift();
      return first;
    }
    return this.#join(length);
  }

  #join(length: number): Uint8Array {
    const joined = allocateBytes(length);
    let filled = 0;
    let used = 0;
    while (filled < length) {
      const piece = this.#chunks[used] as Uint8Array;
      const part = piece.subarray(0, length - filled);
      joined.set(part, filled);
      filled += part.length;
      if (part.length === piece.length) used++;
      else this.#chunks[used] = piece.subarray(part.length);
    }
    this.#chunks.splice(0, used);
    return joined;
  }
}

/** The MAC of one direction: a running Keccak-256, mixed with AES for each header and body. */
class FrameMac {
  readonly #cipher: Cipher;
  readonly #hash: Keccak256;

  constructor(key: Uint8Array, hash: Keccak256) {
    this.#cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
    this.#hash = hash;
  }

  /** Absorbs an encrypted header. @returns its MAC, 16 bytes */
  ofHeader(header: Uint8Array): Uint8Array {
    return this.#absorb(header);
  }

  /** Absorbs a chunk of an encrypted body. */
  addBody(piece: Uint8Array): void {
    this.#hash.update(piece);
  }

  /** MAC of the absorbed body, 16 bytes. */
  ofBody(): Uint8Array {
    return this.#absorb(this.#hash.digest());
  }

  /** @param seed - its first 16 bytes are XORed with the encrypted hash and absorbed */
  #absorb(seed: Uint8Array): Uint8Array {
    const block = this.#cipher.update(this.#hash.digest().subarray(0, BLOCK_BYTES));
    for (let i = 0; i < BLOCK_BYTES; i++) block[i] = (block[i] as number) ^ (seed[i] as number);
    this.#hash.update(block);
    return this.#hash.digest().subarray(0, MAC_BYTES);
  }
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
}
