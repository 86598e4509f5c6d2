import { NodeError } from "../../protocol/primitives/errors.ts";

/** A protocol violation by a peer, or a failed connection. Ends at most one session. */
export class PeerError extends NodeError<
  /** A packet of the handshake that cannot be opened, or is not complete. */
  | "HANDSHAKE"
  /** A frame whose MAC is wrong or whose size is beyond the limit. */
  | "FRAME"
  /** A compressed payload that is damaged or claims too much. */
  | "SNAPPY"
  /** A message that its codec refuses. */
  | "MESSAGE"
  /** A node URL that cannot be read. */
  | "NODE_URL"
> {
  override name = "PeerError";
}
