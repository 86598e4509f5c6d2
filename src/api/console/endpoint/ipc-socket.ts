import { createConnection } from "node:net";
import { PieceIntake } from "../../../platform/intake/pieces.ts";
import type { WebSocketLike } from "../../client/websocket.ts";

const LINE_FEED = 0x0a;
/** Blank lines in a row. */
const MAX_BLANK = 1000;

/**
 * An IPC socket with the interface of a WebSocket: one message per line.
 * @param path - of the socket, or the name of a Windows pipe
 * @param maxBytes - maximum bytes of a message; a longer one ends the connection
 */
export function ipcSocket(path: string, maxBytes: number): WebSocketLike {
  const socket = createConnection(path);
  const line = new PieceIntake(maxBytes);
  let blanks = 0;

  function read(chunk: Buffer, listener: (message: { readonly data: string }) => void): void {
    let at = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, at)) {
      line.add(chunk.subarray(at, end));
      at = end + 1;
      const data = line.take().toString();
      const isBlank = data.trim() === "";
      blanks = isBlank ? blanks + 1 : 0;
      if (blanks > MAX_BLANK) throw new Error("it sends endless blank lines");
      if (!isBlank) listener({ data });
      if (socket.destroyed) return;
    }
    line.add(chunk.subarray(at));
  }

  function onMessage(listener: (message: { readonly data: string }) => void): void {
    socket.on("data", (chunk: Buffer) => {
      try {
        read(chunk, listener);
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
  }

  const listen = {
    message: onMessage,
    open: (listener: () => void) => socket.on("connect", listener),
    close: (listener: () => void) => socket.on("close", listener),
    error: (listener: (event: { readonly message: string }) => void) => socket.on("error", listener),
  };
  return {
    send: (text) => void socket.write(`${text}\n`),
    close: () => void socket.destroySoon(),
    addEventListener: (event: keyof typeof listen, listener: never) => void listen[event](listener),
  };
}
