import { createHash } from "node:crypto";
import { lookup } from "node:dns/promises";
import { formatNodeUrl, parseNodeUrl } from "../../../src/network/p2p/node-url.ts";
import { FrameReader, FrameWriter } from "../../../src/network/p2p/rlpx/frames.ts";
import {
  deriveSecrets,
  type HandshakeMaterial,
  makeAck,
  makeAuth,
  openAck,
  openAuth,
  type SessionSecrets,
} from "../../../src/network/p2p/rlpx/handshake.ts";
import { sharedCapabilities } from "../../../src/network/p2p/wire/capabilities.ts";
import { decodeDisconnect, encodeDisconnect } from "../../../src/network/p2p/wire/disconnect.ts";
import { decodeHello, encodeHello } from "../../../src/network/p2p/wire/hello.ts";
import { decodeMessage, encodeMessage } from "../../../src/network/p2p/wire/message.ts";
import { compress, decompress } from "../../../src/network/p2p/wire/snappy.ts";
import {
  CHAIN_MESSAGES,
  type MessageName,
  messageName,
} from "../../../src/network/protocol/chain-messages.ts";
import { type Codec, decodeValue } from "../../../src/network/protocol/codec.ts";
import { blockHash } from "../../../src/protocol/block/hash.ts";
import { Keccak256, keccak256 } from "../../../src/protocol/crypto/keccak.ts";
import { publicKeyOf } from "../../../src/protocol/crypto/secp256k1.ts";
import { concat } from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex as hex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { transactionHash } from "../../../src/protocol/transaction/hash.ts";
import type { Transaction } from "../../../src/protocol/transaction/transaction.ts";
import { casesOf, failureOf, same, type VectorCase } from "./vector-case.ts";

// biome-ignore lint/suspicious/noExplicitAny: published JSON, described in the files themselves
type Published = any;

const MAX_BYTES = 2 ** 24 - 1;

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

function sameBytes(actual: Uint8Array, published: Published, what: string): void {
  if (published.bytes !== undefined) same(hex(actual), published.bytes, what);
  else
    same(
      { size: actual.length, hash: hex(keccak256(actual)) },
      { size: published.length, hash: published.keccak256 },
      what,
    );
}

/** network/hello.json: hellos, messages in their place, disconnects, and shared protocols. */
export const hellos = casesOf((vector: Published) => {
  if (vector.ours !== undefined) return sharedCase(vector);
  const payload = hexToBytes(vector.payload);
  if (vector.code === 1) {
    const reason = decodeDisconnect(payload);
    // In place of a hello the reference node reads every disconnect reason as 0; this node decodes it.
    if (vector.name.startsWith("disconnect ")) same(reason, vector.reason, "reason");
    if (vector.error === null) same(hex(encodeDisconnect(reason)), vector.payload, "written");
    return;
  }
  if (vector.code !== 0) return;
  if (vector.hello === undefined) {
    same(failureOf(() => decodeHello(payload)) === null, vector.error === null, "accepted");
    return;
  }
  const hello = decodeHello(payload);
  const { extraItems, caps, ...expected } = vector.hello;
  const { capabilities, isMultichannel, id, ...rest } = hello;
  same(
    {
      ...rest,
      id: hex(id),
      multichannel: isMultichannel,
      caps: capabilities.map(({ name, version }) => `${name}/${version}`),
    },
    { ...expected, caps: caps ?? [] },
    "hello",
  );
  if (extraItems === 0) same(hex(encodeHello(hello)), vector.payload, "written");
});

function sharedCase({ ours, theirs, shared }: Published): void {
  const parse = (list: string) =>
    list
      .split(" ")
      .filter(Boolean)
      .map((one) => {
        const [name = "", version] = one.split("/");
        return {
          name,
          version: Number(version),
          codes: { 67: 26, 66: 24, 65: 23, 64: 21 }[Number(version)] ?? 8,
        };
      });
  const found = sharedCapabilities(parse(ours), parse(theirs));
  same(
    Object.fromEntries(found.map(({ name, version, offset }) => [name, [version, offset]])),
    shared,
    "shared",
  );
}

/** network/node-urls.json: URLs decoded and encoded, and the error texts of invalid ones. */
export const nodeUrls = casesOf(async (vector: Published) => {
  if (vector.error !== null)
    return same(
      failureOf(() => parseNodeUrl(vector.url)),
      vector.error,
      "error",
    );
  const node = parseNodeUrl(vector.url);
  const host = node.host === "localhost" ? (await lookup("localhost", { family: 4 })).address : node.host;
  const { id, tcp, udp, type, subports } = node;
  same(
    {
      ...{ id: hex(id), tcp, udp, type, ports: [...subports, tcp], incomplete: host === undefined },
      ...(host !== undefined && { ip: host }),
    },
    {
      ...{ id: vector.id, tcp: vector.tcp, udp: vector.udp, type: vector.type, ports: vector.ports },
      ...{ incomplete: vector.incomplete, ...(vector.ip !== undefined && { ip: vector.ip }) },
    },
    "node",
  );
  same(formatNodeUrl({ ...node, ...(host !== undefined && { host }) }), vector.written, "written");
});

/** network/messages.json: every chain message, decoded and encoded. */
export const messages = casesOf((vector: Published) => {
  if (typeof vector.payload !== "string") return; // published by its hash: made by cases of serving.json
  const name = messageName(vector.code, 67) as MessageName;
  const codec = CHAIN_MESSAGES[name].codec as Codec<unknown>;
  const payload = hexToBytes(vector.payload);
  const value = decodeValue(codec, payload);
  same(hex(codec.write(value)), vector.payload, name);
  readings[name]?.(value, vector);
});

/** Checks of a message's members, besides the round trip. */
const readings: Partial<Record<MessageName, (value: Published, vector: Published) => void>> = {
  status(value, { chainId, networkId, totalBlockScore }) {
    const { chainId: id, networkId: network, totalBlockScore: score } = value;
    same(
      { chainId: id, networkId: network, totalBlockScore: score },
      { chainId, networkId, totalBlockScore },
      "status",
    );
  },
  transactions(value, { hashes }) {
    same(
      value.map((transaction: Transaction) => hex(transactionHash(transaction))),
      hashes,
      "hashes",
    );
  },
  headersRequest(value, { amount, number, hash, skip, reverse }) {
    const origin =
      "hash" in value.origin ? { hash: hex(value.origin.hash) } : { number: value.origin.number };
    const expected = hash === undefined ? { number } : { hash };
    same(
      { amount: value.amount, skip: value.skip, reverse: value.reverse, ...origin },
      { amount, skip, reverse, ...expected },
      "request",
    );
  },
  newBlock(value, { hash, totalBlockScore, transactions }) {
    const found = value.block.transactions.map((transaction: Transaction) =>
      hex(transactionHash(transaction)),
    );
    same(hex(blockHash(value.block.header)), hash, "hash");
    same(value.totalBlockScore, totalBlockScore, "score");
    same(found, transactions ?? [], "transactions");
  },
  stakingInfo([value], { info }) {
    same(value.gini, info.gini, "gini");
    same(value.amounts, info.councilStakingAmounts, "amounts");
    same(hex(value.kifAddress), info.kifAddr, "kif");
  },
  bid(value, { bid }) {
    same([value.nonce, value.bid, value.callGasLimit], [bid.nonce, bid.bid, bid.callGasLimit], "bid");
  },
};

/** network/messages-refused.json: payloads that the reference node's decoders accept or reject. */
export const judgedMessages = casesOf(({ code, payload, accepted, mayRefuse }: Published) => {
  const name = messageName(code, 67) as MessageName;
  const failure = failureOf(() =>
    decodeValue(CHAIN_MESSAGES[name].codec as Codec<unknown>, hexToBytes(payload)),
  );
  if (!mayRefuse) same(failure === null, accepted, failure ?? "accepted");
});
