import {
  deriveSecrets,
  type HandshakeMaterial,
  makeAck,
  makeAuth,
  openAck,
  openAuth,
  type SessionSecrets,
} from "../../../../src/network/p2p/rlpx/handshake.ts";
import { publicKeyOf } from "../../../../src/protocol/crypto/secp256k1.ts";
import { bytesToHex as hex, hexToBytes } from "../../../../src/protocol/primitives/hex.ts";
import { casesOf, failureOf, same, type VectorCase } from "../vector-case.ts";
import type { Published } from "./published.ts";

/** network/rlpx-handshake.json: packets and secrets of whole handshakes, from both sides. */
export const handshakes = casesOf((vector: Published) => {
  const { initiator, recipient } = vector;
  const auth = hexToBytes(vector.auth);
  const ack = hexToBytes(vector.ack);
  const [initiatorId, recipientId] = [initiator, recipient].map(({ staticKey }) =>
    publicKeyOf(hexToBytes(staticKey)),
  );
  const opened = openAuth(hexToBytes(recipient.staticKey), auth);
  const answered = openAck(hexToBytes(initiator.staticKey), ack);
  same(hex(opened.remoteId), hex(initiatorId as Uint8Array), "initiator's id");
  if (initiator.version === 4 && vector.authPlain.length < 1000 && !vector.name.includes("extra")) {
    sameUnlessExtended(
      makeAuth(hexToBytes(initiator.staticKey), recipientId as Uint8Array, materialOf(initiator)),
      auth,
      "auth",
    );
    sameUnlessExtended(makeAck(initiatorId as Uint8Array, materialOf(recipient)), ack, "ack");
  }
  const nonces = { initiatorNonce: opened.nonce, recipientNonce: answered.nonce };
  const ofInitiator = deriveSecrets({
    ...{ role: "initiator", ephemeralKey: hexToBytes(initiator.ephemeralKey), ...nonces, auth, ack },
    remoteEphemeralId: answered.remoteEphemeralId,
  });
  const ofRecipient = deriveSecrets({
    ...{ role: "recipient", ephemeralKey: hexToBytes(recipient.ephemeralKey), ...nonces, auth, ack },
    remoteEphemeralId: opened.remoteEphemeralId,
  });
  same(shown(ofInitiator), vector.initiatorSecrets, "initiator");
  same(shown(ofRecipient), vector.recipientSecrets, "recipient");
});

/** A packet of a later version has items that this node does not write. */
function sameUnlessExtended(made: Uint8Array, recorded: Uint8Array, what: string): void {
  if (made.length === recorded.length) same(hex(made), hex(recorded), what);
}

function materialOf(side: Published): HandshakeMaterial {
  return {
    ephemeralKey: hexToBytes(side.ephemeralKey),
    nonce: hexToBytes(side.nonce),
    ecies: { key: hexToBytes(side.eciesKey), iv: hexToBytes(side.eciesIv) },
    padding: side.padding,
  };
}

function shown({ aes, mac, egress, ingress }: SessionSecrets): Published {
  return {
    ...{ aes: hex(aes), mac: hex(mac) },
    ...{ egressMac: hex(egress.digest()), ingressMac: hex(ingress.digest()) },
  };
}

/** network/rlpx-handshake-refused.json: packets that the reference node accepts or rejects. */
export function judgedHandshakes({ cases, initiator, recipient }: Published): VectorCase[] {
  return cases.map(({ name, packet, bytes, accepted, mayRefuse }: Published) => ({
    name,
    run() {
      const failure = failureOf(() =>
        packet === "auth"
          ? openAuth(hexToBytes(recipient.staticKey), hexToBytes(bytes))
          : openAck(hexToBytes(initiator.staticKey), hexToBytes(bytes)),
      );
      if (!mayRefuse) same(failure === null, accepted, failure ?? "accepted");
    },
  }));
}
