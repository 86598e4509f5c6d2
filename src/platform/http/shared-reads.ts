import type { Socket } from "node:net";

/** Bytes read at once: as many as Node allocates for each read of a socket. */
const READ_BYTES = 64 * 1024;

/** Every socket is read into it, one after the other. */
let everyones: Buffer | undefined;

/** What a socket wraps. */
interface Handle {
  useUserBuffer?(buffer: Buffer): void;
}

/** A socket with what it wraps and, by two symbols, what the option `onread` sets. */
type Wrapping = Socket & { readonly _handle?: Handle | null } & Record<symbol, unknown>;

let symbols: { readonly buffer: symbol; readonly callback: symbol } | undefined;

/** Where a socket keeps its option `onread`; undefined on a runtime whose sockets are made differently. */
function symbolsOf(socket: Socket): typeof symbols {
  const own = Object.getOwnPropertySymbols(socket);
  const named = (name: string) => own.find(({ description }) => description === name);
  const [buffer, callback] = [named("kBuffer"), named("kBufferCb")];
  return buffer && callback && { buffer, callback };
}

/**
 * Reads an accepted socket into a buffer which all of them share, and hands on copies of what came. Node allocates 64 KiB for each
 * read otherwise, copies what came and frees them: 4 to 5 % of a small request. It has an option for that, `onread`, but takes it
 * for outgoing connections alone; a second socket around an accepted connection would cost a tenth of what a connection does. The
 * buffer is cleared after each read, since a secret may have been in it.
 * @param buffer - to read into
 * @returns whether the runtime can
 */
export function shareReads(socket: Socket, buffer?: Buffer): boolean {
  const wrapping = socket as Wrapping;
  const { _handle: handle } = wrapping;
  symbols ??= symbolsOf(socket);
  if (symbols === undefined || typeof handle?.useUserBuffer !== "function") return false;
  if (buffer === undefined) everyones ??= Buffer.alloc(READ_BYTES);
  const shared = buffer ?? (everyones as Buffer);
  wrapping[symbols.buffer] = shared;
  wrapping[symbols.callback] = (length: number): boolean => {
    const read = Buffer.from(shared.subarray(0, length));
    shared.fill(0, 0, length);
    return socket.push(read);
  };
  handle.useUserBuffer(shared);
  return true;
}
