import type { Duplex } from "node:stream";

/** A client's connection as its protocol sees it: a socket of this process, or one that an I/O process reads and writes. */
export interface ClientSocket extends Duplex {
  /** Without port; absent for sockets without an address. */
  readonly remoteAddress?: string | undefined;
  setNoDelay(noDelay?: boolean): this;
  /** Destroys the socket once everything written has been sent. */
  destroySoon(): void;
}
