import { createServer, connect as open, type Socket } from "node:net";
import type { ByteStream, Network, StreamAddress } from "../network.ts";

/** Time allowed for flushing before a close. */
const LINGER_MS = 1_000;

/** The sockets of the machine. */
export const systemNetwork: Network = { connect, listen };

function connect({ host, port }: StreamAddress, timeoutMs: number, signal: AbortSignal): Promise<ByteStream> {
  return new Promise((resolve, reject) => {
    const socket = open({ host, port, noDelay: true });
    const timeout = setTimeout(
      () => socket.destroy(new Error(`no connection within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const abort = () => socket.destroy(new Error("the connection attempt was cancelled"));
    const settle = () => {
      clearTimeout(timeout);
      signal.removeEventListener("abort", abort);
    };
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    socket.once("error", reject);
    socket.once("close", settle);
    socket.once("connect", () => {
      settle();
      socket.off("error", reject);
      resolve(streamOf(socket));
    });
  });
}

function listen({ host, port }: StreamAddress, onStream: (stream: ByteStream) => void) {
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (socket) =>
    onStream(streamOf(socket)),
  );
  return new Promise<{ port: number; close(): Promise<void> }>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      server.on("error", () => {}); // a failed accept must not affect other connections
      const address = server.address();
      resolve({
        port: typeof address === "object" && address !== null ? address.port : port,
        close: () => new Promise((closed) => void server.close(() => closed())),
      });
    });
  });
}

function streamOf(socket: Socket): ByteStream {
  socket.pause();
  socket.on("error", () => {}); // reported through `receive`
  const { localAddress = "", localPort = 0, remoteAddress = "", remotePort = 0 } = socket;
  return {
    local: { host: localAddress, port: localPort },
    remote: { host: remoteAddress, port: remotePort },
    get unsent() {
      return socket.writableLength;
    },
    receive(onBytes, onEnd) {
      let failure: Error | undefined;
      socket.on("data", onBytes);
      socket.once("error", (error) => {
        failure = error;
      });
      socket.once("end", () => socket.end());
      socket.once("close", () => onEnd(failure));
      if (socket.destroyed) setImmediate(onEnd, failure);
      socket.resume();
    },
    write(bytes) {
      if (!socket.destroyed && socket.writable) socket.write(bytes);
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close(now = false) {
      if (now) socket.destroy();
      else if (!socket.destroyed) {
        socket.end();
        setTimeout(() => socket.destroy(), LINGER_MS).unref();
      }
    },
  };
}
