import type { Bls } from "../../../protocol/crypto/bls.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { bigintToFixedBytes, type Hash } from "../../../protocol/primitives/bytes.ts";

/** The message signed by the proposer of block `number`: the number in 32 bytes. @see KIP-114 */
export function revealMessage(number: bigint): Uint8Array {
  return bigintToFixedBytes(number, 32);
}

/** The mix hash of a block: its parent's XOR the hash of the reveal. @see KIP-114 */
export function nextMixHash(parentMixHash: Hash, randomReveal: Uint8Array): Hash {
  const hash = keccak256(randomReveal);
  return parentMixHash.map((byte, i) => byte ^ (hash[i] as number));
}

/**
 * Randao fields of a new block.
 * @param secretKey - the proposer's BLS key, 32 bytes
 * @param parentMixHash - 32 zero bytes for the fork block
 */
export function makeRandomReveal(
  bls: Bls,
  input: { readonly number: bigint; readonly secretKey: Uint8Array; readonly parentMixHash: Hash },
): { readonly randomReveal: Uint8Array; readonly mixHash: Hash } {
  const randomReveal = bls.sign(revealMessage(input.number), input.secretKey);
  return { randomReveal, mixHash: nextMixHash(input.parentMixHash, randomReveal) };
}
