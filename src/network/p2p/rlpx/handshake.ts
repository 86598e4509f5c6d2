import type { Randomness } from "../../../platform/runtime/runtime.ts";
import { decodeItemAt, encodeItem, type Item } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { Keccak256, keccak256Of } from "../../../protocol/crypto/keccak.ts";
import {
  isPrivateKey,
  publicKeyOf,
  recoverPublicKey,
  sharedSecret,
  signBytes,
} from "../../../protocol/crypto/secp256k1.ts";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { PeerError } from "../errors.ts";
import { decryptEcies, ECIES_OVERHEAD, type EciesMaterial, encryptEcies } from "./ecies.ts";

/** Version in both packets; other versions are accepted (EIP-8). */
const VERSION = 4;
/** Padding after the list, so that packets vary in size: the minimum, and the number of sizes. */
const PADDING = { least: 100, sizes: 100 };
/** Bytes of the size prefix of a packet. */
export const SIZE_BYTES = 2;

/** Random values of one side of a handshake. */
export interface HandshakeMaterial {
  /** Ephemeral private key, 32 bytes. */
  readonly ephemeralKey: Uint8Array;
  /** 32 bytes. */
  readonly nonce: Uint8Array;
  readonly ecies: EciesMaterial;
  /** Number of zero bytes after the packet's list. */
  readonly padding: number;
}

/** The contents of the remote packet. Ids are public keys of 64 bytes. */
export interface OpenedAuth {
  readonly remoteId: Uint8Array;
  readonly remoteEphemeralId: Uint8Array;
  readonly nonce: Uint8Array;
}

/** Keys of a session. */
export interface SessionSecrets {
  /** Key of the frames' AES-256-CTR, 32 bytes. */
  readonly aes: Uint8Array;
  /** Key of the MACs' AES-256, 32 bytes. */
  readonly mac: Uint8Array;
  /** Running hash of sent data. */
  readonly egress: Keccak256;
  /** Running hash of received data. */
  readonly ingress: Keccak256;
}

/** Generates the random values of one handshake. */
export function generateMaterial(randomness: Randomness): HandshakeMaterial {
  const [size] = randomness.bytes(1) as Uint8Array & [number];
  return {
    ephemeralKey: generateKey(randomness),
    nonce: randomness.bytes(32),
    ecies: { key: generateKey(randomness), iv: randomness.bytes(16) },
    padding: PADDING.least + (size % PADDING.sizes),
  };
}

/**
 * The initiator's packet: `size ‖ ECIES([signature, own id, nonce, version] ‖ padding)`, where the ephemeral key signs the static
 * shared secret XOR nonce.
 * @param remoteId - of the recipient
 * @see EIP-8
 */
export function makeAuth(
  staticKey: Uint8Array,
  remoteId: Uint8Array,
  material: HandshakeMaterial,
): Uint8Array {
  const signed = xor(sharedSecret(staticKey, remoteId), material.nonce);
  const signature = signBytes(signed, material.ephemeralKey);
  const list = [signature, publicKeyOf(staticKey), material.nonce, Uint8Array.of(VERSION)];
  return seal(list, remoteId, material);
}

/** Opens the initiator's packet, including its size prefix. @throws PeerError `HANDSHAKE` */
export function openAuth(staticKey: Uint8Array, packet: Uint8Array): OpenedAuth {
  return opened(() => {
    const reader = open(staticKey, packet, "authMsgV4");
    const signature = reader.fixed(65, "[65]uint8");
    const remoteId = reader.fixed(64, "[64]uint8");
    const nonce = reader.fixed(32, "[32]uint8");
    const signed = xor(sharedSecret(staticKey, remoteId), nonce);
    const parity = signature[64] as number;
    return {
      remoteId,
      nonce,
      remoteEphemeralId: recoverPublicKey(signed, signature.subarray(0, 64), parity),
    };
  });
}

/** The recipient's reply: `size ‖ ECIES([ephemeral id, nonce, version] ‖ padding)`. */
export function makeAck(remoteId: Uint8Array, material: HandshakeMaterial): Uint8Array {
  const list = [publicKeyOf(material.ephemeralKey), material.nonce, Uint8Array.of(VERSION)];
  return seal(list, remoteId, material);
}

/** Opens the recipient's reply, including its size prefix. @throws PeerError `HANDSHAKE` */
export function openAck(staticKey: Uint8Array, packet: Uint8Array): Omit<OpenedAuth, "remoteId"> {
  return opened(() => {
    const reader = open(staticKey, packet, "authRespV4");
    return { remoteEphemeralId: reader.fixed(64, "[64]uint8"), nonce: reader.fixed(32, "[32]uint8") };
  });
}

/** Both packets of a handshake, from the perspective of one side. */
export interface Handshake {
  readonly role: "initiator" | "recipient";
  readonly ephemeralKey: Uint8Array;
  readonly remoteEphemeralId: Uint8Array;
  readonly initiatorNonce: Uint8Array;
  readonly recipientNonce: Uint8Array;
  /** As sent, including its size prefix. */
  readonly auth: Uint8Array;
  /** As sent, including its size prefix. */
  readonly ack: Uint8Array;
}

/**
 * Derives the session keys from a handshake.
 * @throws PeerError `HANDSHAKE` if the remote ephemeral key is not a point on the curve
 */
export function deriveSecrets(handshake: Handshake): SessionSecrets {
  const { initiatorNonce, recipientNonce, auth, ack } = handshake;
  const ephemeral = opened(() => sharedSecret(handshake.ephemeralKey, handshake.remoteEphemeralId));
  const shared = keccak256Of(ephemeral, keccak256Of(recipientNonce, initiatorNonce));
  const aes = keccak256Of(ephemeral, shared);
  const mac = keccak256Of(ephemeral, aes);
  const fromInitiator = new Keccak256().update(xor(mac, recipientNonce)).update(auth);
  const fromRecipient = new Keccak256().update(xor(mac, initiatorNonce)).update(ack);
  return handshake.role === "initiator"
    ? { aes, mac, egress: fromInitiator, ingress: fromRecipient }
    : { aes, mac, egress: fromRecipient, ingress: fromInitiator };
}

function seal(list: Item, remoteId: Uint8Array, { ecies, padding }: HandshakeMaterial): Uint8Array {
  const plaintext = concat(encodeItem(list), new Uint8Array(padding));
  const size = plaintext.length + ECIES_OVERHEAD;
  const prefix = Uint8Array.of(size >> 8, size & 0xff);
  return concat(prefix, encryptEcies(remoteId, plaintext, prefix, ecies));
}

/** A reader in the packet's list; trailing bytes and additional elements are ignored (EIP-8). */
function open(staticKey: Uint8Array, packet: Uint8Array, type: string): RlpReader {
  const size = packet.subarray(0, SIZE_BYTES);
  const end = SIZE_BYTES + (((size[0] ?? 0) << 8) | (size[1] ?? 0));
  if (packet.length < end) throw new PeerError("HANDSHAKE", "EOF");
  const plaintext = decryptEcies(staticKey, packet.subarray(SIZE_BYTES, end), size);
  decodeItemAt(plaintext, 0);
  const reader = new RlpReader(plaintext);
  reader.enterList(type);
  return reader;
}

/** Turns any failure on a packet into a `HANDSHAKE` error. */
function opened<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof PeerError) throw error;
    throw new PeerError("HANDSHAKE", error instanceof Error ? error.message : "invalid packet");
  }
}

function generateKey(randomness: Randomness): Uint8Array {
  for (;;) {
    const key = randomness.bytes(32);
    if (isPrivateKey(key)) return key;
  }
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, i) => byte ^ (b[i] as number));
}
