import type { Duplex } from "node:stream";

/** A client's connection as the protocol layers see it: a socket of this process, or one that an I/O process reads and writes. */
export interface ClientSocket extends Duplex {
  /** IP address without the port; absent for sockets that have none. */
  readonly remoteAddress?: string | undefined;
  setNoDelay(noDelay?: boolean): this;
  /** Ends the socket, and destroys it once everything written has been sent. */
  destroySoon(): void;
}
