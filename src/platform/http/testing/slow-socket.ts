import { Duplex } from "node:stream";
import type { ClientSocket } from "../../sockets/client-socket.ts";

/** Accepts everything at once, as the pipe to an I/O process does, and reports later that the system has it. */
export class SlowSocket extends Duplex implements ClientSocket {
  hasAll: (() => void) | undefined;

  setNoDelay(): this {
    return this;
  }

  destroySoon(): void {
    this.destroy();
  }

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: BufferEncoding, written: () => void): void {
    written();
  }

  override _final(hasAll: () => void): void {
    this.hasAll = hasAll;
  }
}
