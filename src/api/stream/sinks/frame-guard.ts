import type { Socket } from "node:net";
import { StreamError } from "../errors.ts";

/** Largest answer of a broker: metadata of a few topics take some hundred bytes. */
const LARGEST_ANSWER = 8 * 1024 * 1024;

/**
 * Closes a connection whose peer announces a longer answer than a broker can have, before any memory is set aside for it.
 * Answers are framed by 4 bytes, most significant first.
 */
export function guardFrames(socket: Socket): Socket {
  const head = Buffer.alloc(4);
  let headBytes = 0;
  let bodyBytes = 0;
  socket.prependListener("data", (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; ) {
      if (bodyBytes > 0) {
        const taken = Math.min(bodyBytes, chunk.length - at);
        bodyBytes -= taken;
        at += taken;
        continue;
      }
      head[headBytes++] = chunk[at++] as number;
      if (headBytes < 4) continue;
      headBytes = 0;
      bodyBytes = head.readUInt32BE();
      if (bodyBytes <= LARGEST_ANSWER) continue;
      socket.pause();
      socket.removeAllListeners("data");
      socket.destroy(new StreamError("BROKER", `an answer of ${bodyBytes} bytes is refused`));
      return;
    }
  });
  return socket;
}
