import { type Cipher, createCipheriv, createDecipheriv, type Decipher, timingSafeEqual } from "node:crypto";
import type { Keccak256 } from "../../../protocol/crypto/keccak.ts";
import { allocateBytes, concat } from "../../../protocol/primitives/bytes.ts";
import { PeerError } from "../errors.ts";
import type { SessionSecrets } from "./handshake.ts";

const BLOCK_BYTES = 16;
const HEADER_BYTES = 16;
const MAC_BYTES = 16;
const HEAD_BYTES = HEADER_BYTES + MAC_BYTES;
/** Header data of a message that is not divided: the list `[0, 0]`. */
const UNDIVIDED = Uint8Array.of(0xc2, 0x80, 0x80);
/** Largest body of a frame in bytes: its size has three bytes. */
export const MAX_FRAME_BYTES: number = 2 ** 24 - 1;

/**
 * A body is taken in and decrypted in pieces of this size while it arrives, so that no step takes long. Smaller ones are joined with those
 * before them, so that a frame that comes byte by byte takes little more than its size.
 */
const PIECE_BYTES = 1 << 16;

const PADDING = new Uint8Array(BLOCK_BYTES);

/**
 * Encrypts the bodies of one direction of a session. @see devp2p, RLPx, "Framing"
 */
export class FrameWriter {
  readonly #cipher: Cipher;
  readonly #mac: RunningMac;

  constructor({ aes, mac, egress }: SessionSecrets) {
    this.#cipher = createCipheriv("aes-256-ctr", aes, PADDING);
    this.#mac = new RunningMac(mac, egress);
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
    header.set([size >> 16, (size >> 8) & 0xff, size & 0xff, ...UNDIVIDED]);
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

/** Decrypts the frames of one direction of a session, out of bytes as they arrive. */
export class FrameReader {
  readonly #decipher: Decipher;
  readonly #mac: RunningMac;
  #maxBytes: number;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** The body whose header was read, as far as it has arrived. */
  #body: { readonly size: number; left: number; readonly pieces: Uint8Array[] } | undefined;

  /** @param maxBytes - a larger body is refused when its header is read, before any of it is kept */
  constructor({ aes, mac, ingress }: SessionSecrets, maxBytes: number = MAX_FRAME_BYTES) {
    this.#decipher = createDecipheriv("aes-256-ctr", aes, PADDING);
    this.#mac = new RunningMac(mac, ingress);
    this.#maxBytes = maxBytes;
  }

  /** Allows bodies of another size from now on. */
  allow(maxBytes: number): void {
    this.#maxBytes = maxBytes;
  }

  /** How many bytes are to come before something can be read. */
  get missing(): number {
    const wanted = this.#body === undefined ? HEAD_BYTES : this.#body.left + MAC_BYTES;
    return Math.max(0, wanted - this.#waitingBytes);
  }

  /** Takes what arrived; the bytes must not change afterwards. */
  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#waitingBytes += bytes.length;
    let piece = bytes;
    for (let before = this.#waiting.at(-1); before !== undefined; before = this.#waiting.at(-1)) {
      if (before.length > piece.length || piece.length > PIECE_BYTES) break;
      this.#waiting.pop();
      piece = concat(before, piece);
    }
    this.#waiting.push(piece);
  }

  /**
   * The next complete body; undefined while it has not arrived whole.
   * @throws PeerError `FRAME` when a MAC is wrong or the body too large; nothing can be read afterwards
   */
  next(): Uint8Array | undefined {
    if (this.#body === undefined) {
      if (this.#waitingBytes < HEAD_BYTES) return undefined;
      const size = this.#openHeader(this.#take(HEAD_BYTES));
      this.#body = { size, left: padded(size), pieces: [] };
    }
    const body = this.#body;
    while (body.left > 0 && this.#waitingBytes >= Math.min(body.left, PIECE_BYTES)) {
      const piece = this.#take(Math.min(body.left, PIECE_BYTES));
      body.left -= piece.length;
      this.#mac.addBody(piece);
      body.pieces.push(this.#decipher.update(piece));
    }
    if (body.left > 0 || this.#waitingBytes < MAC_BYTES) return undefined;
    if (!timingSafeEqual(this.#mac.ofBody(), this.#take(MAC_BYTES)))
      throw new PeerError("FRAME", "bad frame MAC");
    this.#body = undefined;
    const { size, pieces } = body;
    const [first] = pieces as [Uint8Array];
    const whole = pieces.length === 1 ? first : concat(...pieces);
    // No Buffer, whatever made it: all that reads messages sees one kind of bytes, whose `slice` copies.
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

  /** The first `length` bytes that are waiting. */
  #take(length: number): Uint8Array {
    this.#waitingBytes -= length;
    const first = this.#waiting[0] as Uint8Array;
    if (first.length > length) {
      this.#waiting[0] = first.subarray(length);
      return first.subarray(0, length);
    }
    if (first.length === length) {
      this.#waiting.shift();
      return first;
    }
    return this.#join(length);
  }

  #join(length: number): Uint8Array {
    const joined = allocateBytes(length);
    let filled = 0;
    let used = 0;
    while (filled < length) {
      const piece = this.#waiting[used] as Uint8Array;
      const part = piece.subarray(0, length - filled);
      joined.set(part, filled);
      filled += part.length;
      if (part.length === piece.length) used++;
      else this.#waiting[used] = piece.subarray(part.length);
    }
    this.#waiting.splice(0, used);
    return joined;
  }
}

/** The MAC over all that went in one direction: a running Keccak-256 that AES stirs at each header and body. */
class RunningMac {
  readonly #cipher: Cipher;
  readonly #hash: Keccak256;

  constructor(key: Uint8Array, hash: Keccak256) {
    this.#cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
    this.#hash = hash;
  }

  /** Takes an encrypted header in. @returns its MAC, 16 bytes */
  ofHeader(header: Uint8Array): Uint8Array {
    return this.#stir(header);
  }

  /** Takes a piece of an encrypted body in. */
  addBody(piece: Uint8Array): void {
    this.#hash.update(piece);
  }

  /** MAC of the body whose pieces were taken in, 16 bytes. */
  ofBody(): Uint8Array {
    return this.#stir(this.#hash.digest());
  }

  /** @param seed - its first 16 bytes are taken in, under the encrypted hash */
  #stir(seed: Uint8Array): Uint8Array {
    const block = this.#cipher.update(this.#hash.digest().subarray(0, BLOCK_BYTES));
    for (let i = 0; i < BLOCK_BYTES; i++) block[i] = (block[i] as number) ^ (seed[i] as number);
    this.#hash.update(block);
    return this.#hash.digest().subarray(0, MAC_BYTES);
  }
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
}
