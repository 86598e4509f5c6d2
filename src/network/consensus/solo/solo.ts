import type { ConsensusRules } from "../../../ledger/chain/consensus-rules.ts";
import type { ValidatorSets } from "../../../ledger/extensions/valset/validator-sets.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { blockHash, committedSealMessage, proposerSealMessage } from "../../../protocol/block/hash.ts";
import { encodeSeal, withCommittedSeals, withProposerSeal } from "../../../protocol/block/seal.ts";
import { addressOfPublicKey, publicKeyOf, sign } from "../../../protocol/crypto/secp256k1.ts";
import { type Address, EMPTY_BYTES, equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { ConsensusError } from "../errors.ts";
import type { IstanbulRules } from "../istanbul/istanbul-rules.ts";
import type { ProposerSettings } from "./proposer-settings.ts";

/** What a node that decides alone is made of. */
export interface SoloParts {
  readonly rules: IstanbulRules;
  readonly validators: ValidatorSets;
  /** The validator's key, 32 bytes. */
  readonly nodeKey: Uint8Array;
  /** Read anew for each block. */
  readonly settings: Readonly<ProposerSettings>;
}

/**
 * Consensus of a council with one member: its own seals suffice, so that nothing is sent. On the chain this cannot be
 * told from the message protocol. A block is sealed at once; when blocks are made is up to the sealing service.
 */
export function createSolo(parts: SoloParts): ConsensusRules {
  const { rules, nodeKey, settings } = parts;
  const address = addressOfPublicKey(publicKeyOf(nodeKey));
  return {
    verifyHeader: (header, parent) => rules.verifyHeader(header, parent),
    prepare: (parent, nowMs) => {
      const { rewardbase = address, vanity = EMPTY_BYTES } = settings;
      return rules.prepare(parent, nowMs, { address, rewardbase, vanity });
    },
    author: (header) => rules.author(header),
    async seal(block, signal) {
      checkAuthority(parts.validators.qualified(block.header.number), address);
      signal.throwIfAborted();
      return sealAlone(block, nodeKey);
    },
  };
}

/**
 * Consensus of a node that only follows: it checks and never seals.
 * @throws ConsensusError `UNAUTHORIZED` from `prepare` and `seal`
 */
export function createFollower(rules: IstanbulRules): ConsensusRules {
  const refuse = (): never => {
    throw new ConsensusError("UNAUTHORIZED", "unauthorized");
  };
  return {
    verifyHeader: (header, parent) => rules.verifyHeader(header, parent),
    prepare: refuse,
    seal: refuse,
    author: (header) => rules.author(header),
  };
}

function checkAuthority(qualified: readonly Address[], own: Address): void {
  if (!qualified.some((address) => equalBytes(address, own))) {
    throw new ConsensusError("UNAUTHORIZED", "unauthorized");
  }
}

/** The block with the proposer seal and one committed seal, in round 0. */
export function sealAlone(block: Block, nodeKey: Uint8Array): Block {
  const proposed = withProposerSeal(block.header, signed(proposerSealMessage(block.header), nodeKey));
  const committed = signed(committedSealMessage(blockHash(proposed)), nodeKey);
  return { ...block, header: withCommittedSeals(proposed, [committed], 0) };
}

function signed(message: Hash, nodeKey: Uint8Array): Uint8Array {
  return encodeSeal(sign(message, nodeKey));
}
