import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { numberToBytes } from "../../../protocol/primitives/bytes.ts";

/** Reasons for a disconnect. @see devp2p, "p2p" capability, Disconnect */
export const DisconnectReason = {
  requested: 0,
  networkError: 1,
  breachOfProtocol: 2,
  uselessPeer: 3,
  tooManyPeers: 4,
  alreadyConnected: 5,
  incompatibleVersion: 6,
  invalidIdentity: 7,
  clientQuitting: 8,
  unexpectedIdentity: 9,
  connectedToSelf: 10,
  readTimeout: 11,
  subprotocolError: 16,
} as const;

/** One of the reasons, or an unknown number. */
export type DisconnectReason = number;

/** Payload of a disconnect message: the list `[reason]`. */
export function encodeDisconnect(reason: DisconnectReason): Uint8Array {
  return encodeItem([numberToBytes(reason)]);
}

/** The reason in a disconnect message; anything but a list of one small integer counts as `requested`. */
export function decodeDisconnect(payload: Uint8Array): DisconnectReason {
  try {
    const reader = new RlpReader(payload);
    reader.enterList("struct { R p2p.DiscReason }");
    const reason = reader.number("p2p.DiscReason", 1);
    reader.leaveList();
    reader.finish();
    return reason;
  } catch {
    return DisconnectReason.requested;
  }
}
