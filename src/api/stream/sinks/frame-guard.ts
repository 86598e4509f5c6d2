import type { Socket } from "node:net";
import { StreamError } from "../errors.ts";

/** Largest answer of a broker: metadata of a few topics take some hundred bytes. */
const LARGEST_ANSWER = 8 * 1024 * 1024;
/** Length of the correlation id with which each answer begins. */
const SMALLEST_ANSWER = 4;
const HEAD_BYTES = 4;

type Listener = (...values: never[]) => void;

/**
 * Passes a connection's bytes to its listener only while they announce answers of a length that a broker's can have;
 * otherwise it is closed, and also when the listener throws: Kafka's client sets memory aside for long answers, and
 * would end the process over one that is too short.
 */
export function guardFrames(socket: Socket): Socket {
  const check = frameCheck();
  const on = socket.on.bind(socket) as (event: string, listener: Listener) => Socket;
  const guarded = (listener: (chunk: Buffer) => void) => (chunk: Buffer) => {
    try {
      check(chunk);
      listener(chunk);
    } catch (error) {
      socket.destroy(error as Error);
    }
  };
  socket.on = ((event: string, listener: Listener) =>
    on(event, event === "data" ? guarded(listener as never) : listener)) as Socket["on"];
  return socket;
}

/** Answers are framed by 4 bytes, most significant first. @returns what throws StreamError `BROKER` for a wrong length */
function frameCheck(): (chunk: Buffer) => void {
  const head = Buffer.alloc(HEAD_BYTES);
  let headBytes = 0;
  let bodyBytes = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (bodyBytes > 0) {
        const taken = Math.min(bodyBytes, chunk.length - at);
        bodyBytes -= taken;
        at += taken;
        continue;
      }
      head[headBytes++] = chunk[at++] as number;
      if (headBytes < HEAD_BYTES) continue;
      headBytes = 0;
      bodyBytes = head.readUInt32BE();
      if (bodyBytes < SMALLEST_ANSWER || bodyBytes > LARGEST_ANSWER)
        throw new StreamError("BROKER", `an answer of ${bodyBytes} bytes is refused`);
    }
  };
}
