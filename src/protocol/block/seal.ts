import { addressOfPublicKey, type EcdsaSignature, recoverPublicKey } from "../crypto/secp256k1.ts";
import { type Address, bigintToFixedBytes, concat, type Hash, ZERO_ADDRESS } from "../primitives/bytes.ts";
import { BlockError } from "./errors.ts";
import { blockHash, committedSealMessage, proposerSealMessage } from "./hash.ts";
import type { Header } from "./header.ts";
import { decodeIstanbulExtra, encodeIstanbulExtra, VANITY_LENGTH } from "./istanbul-extra.ts";

/** Bytes of a seal: r, s, and the parity 0 or 1. */
export const SEAL_LENGTH = 65;

const authors = new WeakMap<Header, Address>();

/** A signature in the form of a seal: r ‖ s ‖ parity. */
export function encodeSeal({ r, s, parity }: EcdsaSignature): Uint8Array {
  return concat(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32), Uint8Array.of(parity));
}

/**
 * Address that signed `message` with `seal`.
 * @throws BlockError when the seal is not a signature of any key
 */
export function recoverSeal(message: Hash, seal: Uint8Array): Address {
  if (seal.length !== SEAL_LENGTH || (seal[64] as number) > 1) throw badSeal("invalid signature");
  try {
    return addressOfPublicKey(recoverPublicKey(message, seal.subarray(0, 64), seal[64] as number));
  } catch (cause) {
    throw badSeal("recovery failed", cause);
  }
}

function badSeal(reason: string, cause?: unknown): BlockError {
  return new BlockError("BLOCK_SEAL", reason, { field: "extra.seal" }, { cause });
}

/**
 * Address of the validator that proposed a block; the zero address for the genesis. Cached by the header's identity.
 * @throws BlockError, RlpError when extra data or seal are malformed
 */
export function authorOf(header: Header): Address {
  if (header.number === 0n) return ZERO_ADDRESS;
  let author = authors.get(header);
  if (author === undefined) {
    author = recoverSeal(proposerSealMessage(header), decodeIstanbulExtra(header.extra).seal);
    authors.set(header, author);
  }
  return author;
}

/** The same; the zero address also for a header that is not sealed yet. @throws BlockError, RlpError */
export function sealerOf(header: Header): Address {
  const isSealed = authors.has(header) || decodeIstanbulExtra(header.extra).seal.length > 0;
  return isSealed ? authorOf(header) : ZERO_ADDRESS;
}

/** Addresses behind the committed seals, in the order of the seals. @throws BlockError, RlpError */
export function committersOf(header: Header): Address[] {
  const message = committedSealMessage(blockHash(header));
  return decodeIstanbulExtra(header.extra).committedSeals.map((seal) => recoverSeal(message, seal));
}

/** The header with a proposer seal of 65 bytes. This fixes its hash. */
export function withProposerSeal(header: Header, seal: Uint8Array): Header {
  return { ...header, extra: encodeIstanbulExtra({ ...decodeIstanbulExtra(header.extra), seal }) };
}

/** The header with the seals of the validators that committed it in `round`; its hash stays. */
export function withCommittedSeals(
  header: Header,
  committedSeals: readonly Uint8Array[],
  round: number,
): Header {
  const extra = decodeIstanbulExtra(header.extra);
  const vanity = extra.vanity.slice();
  vanity[VANITY_LENGTH - 1] = round;
  // copied: the newest headers are cached, and each would retain a slab of other bytes
  return { ...header, extra: encodeIstanbulExtra({ ...extra, vanity, committedSeals }).slice() };
}
