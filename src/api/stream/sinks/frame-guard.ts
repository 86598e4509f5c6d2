import type { Socket } from "node:net";
import { StreamError } from "../errors.ts";

/** Maximum response of a broker: metadata of a few topics take some hundred bytes. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
/** Length of the correlation id at the start of each response. */
const MIN_RESPONSE_BYTES = 4;
const HEAD_BYTES = 4;

type Listener = (...values: never[]) => void;

/**
 * Passes a connection's bytes to its listener only while they announce responses of a plausible length; otherwise, and also
 * when the listener throws, it is closed: Kafka's client allocates memory for long responses, and would crash the process
 * on one that is too short.
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

/** Responses are framed by 4 bytes, most significant first. @returns what throws StreamError `BROKER` for a wrong length */
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
      if (bodyBytes < MIN_RESPONSE_BYTES || bodyBytes > MAX_RESPONSE_BYTES)
        throw new StreamError("BROKER", `a response of ${bodyBytes} bytes is rejected`);
    }
  };
}
