import { createConnection } from "node:net";
import type { WebSocketLike } from "../../client/websocket.ts";

/**
 * An IPC socket with the interface of a WebSocket: one message per line.
 * @param path - of the socket, or the name of a Windows pipe
 * @param maxLength - maximum characters of a message; a longer one ends the connection
 */
export function ipcSocket(path: string, maxLength: number): WebSocketLike {
  const socket = createConnection(path);
  const rest: string[] = [];
  let letters = 0;
  socket.setEncoding("utf8");

  function onMessage(listener: (message: { readonly data: unknown }) => void): void {
    socket.on("data", (chunk: string) => {
      const lines = chunk.split("\n");
      const last = lines.pop() as string;
      for (const line of lines) {
        const data = rest.join("") + line;
        rest.length = 0;
        letters = 0;
        if (data.trim() !== "") listener({ data });
      }
      rest.push(last);
      letters += last.length;
      if (letters > maxLength) socket.destroy();
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
    close: () => void socket.end(),
    addEventListener: (event: keyof typeof listen, listener: never) => void listen[event](listener),
  };
}
