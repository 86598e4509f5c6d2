import { type ClientOptions, WebSocket } from "ws";
import { limitInterim } from "../../../platform/intake/http-client.ts";
import type { WebSocketLike } from "../../client/websocket.ts";

/** Fragments of a message: some nodes send a long one in fragments of a kilobyte. */
const MAX_FRAGMENTS = 262_144;
/** Pings and pongs between two messages. */
const MAX_CONTROL_FRAMES = 50_000;
/** Milliseconds for a node to close the connection as well. */
const CLOSE_MS = 1000;

/**
 * A WebSocket to a node that is not trusted: no redirects, no compression, and no message, handshake or pings without end.
 * @param maxBytes - maximum bytes of a message; a longer one ends the connection
 */
export function webSocket(
  url: string,
  maxBytes: number,
  headers: Readonly<Record<string, string>>,
): WebSocketLike {
  const options: ClientOptions & { readonly closeTimeout: number } = {
    headers,
    maxPayload: maxBytes,
    maxFragments: MAX_FRAGMENTS,
    perMessageDeflate: false,
    autoPong: false,
    closeTimeout: CLOSE_MS,
    finishRequest: (request) => {
      limitInterim(request, (error) => request.destroy(error));
      request.end();
    },
  };
  const socket = new WebSocket(url, [], options);
  let controlFrames = 0;
  const count = (): void => {
    if (++controlFrames <= MAX_CONTROL_FRAMES) return;
    socket.emit("error", new Error("the node sends endless pings"));
    socket.terminate();
  };
  socket.on("ping", (data) => {
    count();
    if (socket.bufferedAmount === 0) socket.pong(data); // one that is not read gets no more
  });
  socket.on("pong", count);
  socket.on("message", () => {
    controlFrames = 0;
  });
  return socket;
}
