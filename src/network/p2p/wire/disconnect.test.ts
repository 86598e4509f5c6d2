import { expect, it } from "vitest";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { DisconnectReason, decodeDisconnect, encodeDisconnect } from "./disconnect.ts";

/** @see devp2p, RLPx, Disconnect (0x01) */
it("gives the reasons their numbers in devp2p", () => {
  const { requested, networkError, uselessPeer, tooManyPeers, subprotocolError } = DisconnectReason;
  const reasons = [requested, networkError, uselessPeer, tooManyPeers, subprotocolError];
  const encoded = ["0xc180", "0xc101", "0xc103", "0xc104", "0xc110"];
  expect(reasons.map((reason) => bytesToHex(encodeDisconnect(reason)))).toEqual(encoded);
  expect(encoded.map((hex) => decodeDisconnect(hexToBytes(hex)))).toEqual(reasons);
});

it("takes anything else for a requested disconnect", () => {
  for (const hex of ["0x", "0x01", "0xc0", "0xc20102", "0xc3820101", "0xc1"])
    expect(decodeDisconnect(hexToBytes(hex))).toBe(DisconnectReason.requested);
});
