import { NodeError } from "../../protocol/primitives/errors.ts";

/** A protocol violation by a peer, or a failed connection. Ends at most one session. */
export class PeerError extends NodeError<
  /** The handshake failed. */
  | "HANDSHAKE"
  /** A frame with an invalid MAC or beyond the size limit. */
  | "FRAME"
  /** A compressed payload that is corrupt or too large. */
  | "SNAPPY"
  /** An invalid message. */
  | "MESSAGE"
  /** An invalid node URL. */
  | "NODE_URL"
> {
  override name = "PeerError";
}
