import { createHash } from "node:crypto";
import { FrameReader, FrameWriter } from "../../../../src/network/p2p/rlpx/frames.ts";
import type { SessionSecrets } from "../../../../src/network/p2p/rlpx/handshake.ts";
import { decodeMessage, encodeMessage } from "../../../../src/network/p2p/wire/message.ts";
import { compress, decompress } from "../../../../src/network/p2p/wire/snappy.ts";
import { Keccak256 } from "../../../../src/protocol/crypto/keccak.ts";
import { concat } from "../../../../src/protocol/primitives/bytes.ts";
import { bytesToHex as hex, hexToBytes } from "../../../../src/protocol/primitives/hex.ts";
import { casesOf, failureOf, same } from "../vector-case.ts";
import { type Published, sameBytes } from "./published.ts";

const MAX_BYTES = 2 ** 24 - 1;

/** network/rlpx-frames.json: messages in both directions. */
export const frames = casesOf(({ session, messages, initiatorMacsAfter }: Published) => {
  const sides = { initiator: sessionOf(session, "initiator"), recipient: sessionOf(session, "recipient") };
  for (const message of messages) {
    const from = message.from as keyof typeof sides;
    const to = from === "initiator" ? "recipient" : "initiator";
    const payload = payloadOf(message);
    const body = message.snappy
      ? concat(codeOf(message.code), compressedOf(message.snappyBytes, payload))
      : encodeMessage({ code: message.code, payload }, false);
    const frame = sides[from].writer.write(body);
    sameBytes(frame, message.wire, "wire");
    sides[to].reader.push(frame);
    const read = decodeMessage(sides[to].reader.next() as Uint8Array, message.snappy);
    same(read.code, message.code, "code");
    same(Buffer.compare(read.payload, payload), 0, "payload");
    if (message.snappy) same(Buffer.compare(decompress(compress(payload), MAX_BYTES), payload), 0, "snappy");
  }
  const { egress, ingress } = sides.initiator.secrets;
  same({ egress: hex(egress.digest()), ingress: hex(ingress.digest()) }, initiatorMacsAfter, "MACs after");
});

/** network/rlpx-frames-refused.json: first frames that the reference node accepts or rejects. */
export const judgedFrames = casesOf(
  ({ session, wire, snappy, accepted, mayRefuse, ...expected }: Published) => {
    const { reader } = sessionOf(session, "recipient");
    let read: ReturnType<typeof decodeMessage> | undefined;
    const failure = failureOf(() => {
      reader.push(hexToBytes(wire.bytes));
      const body = reader.next();
      if (body === undefined) throw new Error("unexpected EOF");
      read = decodeMessage(body, snappy);
    });
    if (!mayRefuse) same(failure === null, accepted, failure ?? "accepted");
    if (accepted && read) {
      same(
        { code: read.code, size: read.payload.length },
        { code: expected.code, size: expected.dataLength },
        "message",
      );
    }
  },
);

function sessionOf(session: Published, role: "initiator" | "recipient") {
  const mac = hexToBytes(session.mac);
  const xor = (nonce: string) => mac.map((byte, i) => byte ^ (hexToBytes(nonce)[i] as number));
  const fromInitiator = new Keccak256().update(xor(session.recipientNonce)).update(hexToBytes(session.auth));
  const fromRecipient = new Keccak256().update(xor(session.initiatorNonce)).update(hexToBytes(session.ack));
  const directions =
    role === "initiator"
      ? { egress: fromInitiator, ingress: fromRecipient }
      : { egress: fromRecipient, ingress: fromInitiator };
  const secrets: SessionSecrets = { aes: hexToBytes(session.aes), mac, ...directions };
  return { secrets, writer: new FrameWriter(secrets), reader: new FrameReader(secrets) };
}

function payloadOf({ rule, size }: Published): Uint8Array {
  if (rule === "zero") return new Uint8Array(size);
  if (rule === "count") return Uint8Array.from({ length: size }, (_, i) => i % 256);
  const parts: Buffer[] = [];
  for (let n = 0; n * 32 < size; n++) {
    parts.push(createHash("sha256").update(`kairn-net/payload/${size}/${n}`).digest());
  }
  return Buffer.concat(parts).subarray(0, size);
}

function codeOf(code: number): Uint8Array {
  return encodeMessage({ code, payload: new Uint8Array(0) }, false);
}

/** The compressed text of a case; a long one, of which only the hash is published, as this node writes it. */
function compressedOf(published: Published, payload: Uint8Array): Uint8Array {
  if (published.bytes !== undefined) return hexToBytes(published.bytes);
  const compressed = compress(payload);
  sameBytes(compressed, published, "snappyBytes");
  return compressed;
}
