import type { Socket } from "node:net";

/** Maximum bytes per read: as many as Node.js allocates for each read of a socket. */
const READ_BYTES = 64 * 1024;

/** The buffer into which all sockets are read, one after the other. */
let common: Buffer | undefined;

/** The native handle of a socket. */
interface Handle {
  useUserBuffer?(buffer: Buffer): void;
}

/** A socket with its handle and, under two symbols, the fields that the option `onread` sets. */
type Wrapping = Socket & { readonly _handle?: Handle | null } & Record<symbol, unknown>;

/** How to share reads. */
export interface SharedReadOptions {
  /**
   * Is given what was read, in memory that the next read uses again. @returns whether it has copied all that it needs; otherwise the
   * socket emits a copy
   */
  readonly take?: ((bytes: Buffer) => boolean) | undefined;
  /** Read into instead of the shared one. */
  readonly buffer?: Buffer | undefined;
}

let symbols: { readonly buffer: symbol; readonly callback: symbol } | undefined;

/** The symbols of the fields that `onread` sets; undefined on a runtime whose sockets are built differently. */
function symbolsOf(socket: Socket): typeof symbols {
  const own = Object.getOwnPropertySymbols(socket);
  const named = (name: string) => own.find(({ description }) => description === name);
  const [buffer, callback] = [named("kBuffer"), named("kBufferCb")];
  return buffer && callback && { buffer, callback };
}

/**
 * Makes an accepted socket read into a buffer shared by all sockets, and emit copies of what was read. Otherwise Node.js allocates
 * 64 KiB for each read, copies what was read, and frees the rest: 4 to 5 % of a small request. Its option `onread` avoids that for
 * outgoing connections only; wrapping an accepted connection in a second socket would add a tenth to the cost of a connection. The
 * buffer is cleared after each read, since it may have contained a secret. While the socket flows, what was read is emitted directly:
 * the stream would ask for more in the next tick, although the socket reads until it is paused.
 * @returns whether the runtime supports it; otherwise the socket is unchanged
 */
export function shareReads(socket: Socket, { take, buffer }: SharedReadOptions = {}): boolean {
  const wrapping = socket as Wrapping;
  const { _handle: handle } = wrapping;
  symbols ??= symbolsOf(socket);
  if (symbols === undefined || typeof handle?.useUserBuffer !== "function") return false;
  common ??= Buffer.alloc(READ_BYTES);
  const shared = buffer ?? common;
  wrapping[symbols.buffer] = shared;
  wrapping[symbols.callback] = (length: number): boolean => {
    const isFlowing = socket.readableFlowing === true && socket.readableLength === 0;
    const isTaken = isFlowing && take?.(shared.subarray(0, length)) === true;
    const read = isTaken ? undefined : Buffer.from(shared.subarray(0, length));
    shared.fill(0, 0, length);
    if (read === undefined) return true;
    if (!isFlowing) return socket.push(read);
    socket.emit("data", read);
    return true;
  };
  handle.useUserBuffer(shared);
  return true;
}
