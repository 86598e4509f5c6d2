import { createConnection } from "node:net";
import type { WebSocketLike } from "../client/websocket.ts";

/**
 * An IPC socket in the shape of a WebSocket: one message a line.
 * @param path - of the socket, or the name of a Windows pipe
 */
export function ipcSocket(path: string): WebSocketLike {
  const socket = createConnection(path);
  let rest = "";
  socket.setEncoding("utf8");

  function onMessage(listener: (message: { readonly data: unknown }) => void): void {
    socket.on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() as string;
      for (const data of lines) if (data.trim() !== "") listener({ data });
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
