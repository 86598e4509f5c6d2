import { encodeItem } from "../codec/rlp/item.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { concat, EMPTY_BYTES, type Hash } from "../primitives/bytes.ts";
import type { Header } from "./header.ts";
import { headerItem } from "./header-codec.ts";
import {
  decodeIstanbulExtra,
  encodeIstanbulExtra,
  type IstanbulExtra,
  VANITY_LENGTH,
} from "./istanbul-extra.ts";

const COMMIT = Uint8Array.of(2);

const blockHashes = new WeakMap<Header, Hash>();

/**
 * Hash of a block: excludes round and committed seals, includes the proposer seal. Cached by the header's identity.
 * A header whose extra data is not Istanbul's is hashed as it is.
 */
export function blockHash(header: Header): Hash {
  let hash = blockHashes.get(header);
  if (hash === undefined) {
    hash = hashWithout(header, { committedSeals: [] });
    blockHashes.set(header, hash);
  }
  return hash;
}

/** Hash without round and seals. The proposer signs its Keccak-256 hash. */
export function sealHash(header: Header): Hash {
  return hashWithout(header, { seal: EMPTY_BYTES, committedSeals: [] });
}

/** What the proposer signs: the seal hash, hashed once more. */
export function proposerSealMessage(header: Header): Hash {
  return keccak256(sealHash(header));
}

/** What each committing validator signs: the block hash with the commit code 2, hashed. */
export function committedSealMessage(hash: Hash): Hash {
  return keccak256(concat(hash, COMMIT));
}

function hashWithout(header: Header, removed: Partial<IstanbulExtra>): Hash {
  const extra = tryDecode(header.extra);
  if (extra === undefined) return keccak256(encodeItem(headerItem(header)));
  const vanity = extra.vanity.slice();
  vanity[VANITY_LENGTH - 1] = 0;
  return keccak256(encodeItem(headerItem(header, encodeIstanbulExtra({ ...extra, vanity, ...removed }))));
}

function tryDecode(extra: Uint8Array): IstanbulExtra | undefined {
  try {
    return decodeIstanbulExtra(extra);
  } catch {
    return undefined;
  }
}
