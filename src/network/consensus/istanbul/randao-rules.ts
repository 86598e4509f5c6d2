import type { BlsKeys } from "../../../ledger/extensions/randao/bls-keys.ts";
import { makeRandomReveal, nextMixHash } from "../../../ledger/extensions/randao/random-reveal.ts";
import type { Header } from "../../../protocol/block/header.ts";
import type { Bls } from "../../../protocol/crypto/bls.ts";
import type { ChainConfig } from "../../../protocol/params/config.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import {
  type Address,
  EMPTY_BYTES,
  equalBytes,
  type Hash,
  ZERO_HASH,
} from "../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { ConsensusError } from "../errors.ts";
import type { RevealChecks } from "./reveal-checks.ts";

/** Dependencies of random reveals, on a chain that has or will have randao. */
export interface RandaoParts {
  readonly bls: Bls;
  readonly keys: Pick<BlsKeys, "publicKey">;
  /** This node's BLS key, 32 bytes; absent on a node that never proposes. */
  readonly secretKey?: Uint8Array;
}

/**
 * Checks the randao fields: absent before the fork, then signed by the proposer over the block number.
 * @throws ConsensusError, ExtensionError when the proposer's key is not known
 * @see KIP-114
 */
export function verifyRandao(
  header: Header,
  parent: Header,
  input: {
    readonly config: ChainConfig;
    readonly proposer: Address;
    readonly randao: RandaoParts | undefined;
    readonly reveals: RevealChecks | undefined;
  },
): void {
  const { randomReveal, mixHash, number } = header;
  const { config, proposer, randao, reveals } = input;
  if (!rulesAt(config, number).randao) {
    if (randomReveal === undefined && mixHash === undefined) return;
    throw wrongFields("unexpected randao fields");
  }
  if (randao === undefined || reveals === undefined) throw wrongFields("bls key not configured");
  const publicKey = randao.keys.publicKey(proposer, number);
  if (randomReveal?.length !== 96) throw wrongFields("invalid randao fields");
  if (!equalBytes(mixHash ?? EMPTY_BYTES, nextMixHash(parentMixHash(parent, config), randomReveal))) {
    throw wrongFields("invalid randao fields", "mixHash");
  }
  if (!reveals.isValid(header, publicKey)) throw wrongFields("invalid randao fields");
}

/** The randao fields of the block after `parent`; none before the fork. @throws ConsensusError without a BLS key */
export function makeRandao(
  parent: Header,
  config: ChainConfig,
  randao: RandaoParts | undefined,
): Pick<Header, "randomReveal" | "mixHash"> {
  const number = parent.number + 1n;
  if (!rulesAt(config, number).randao) return {};
  if (randao?.secretKey === undefined) throw wrongFields("bls key not configured");
  const { bls, secretKey } = randao;
  return makeRandomReveal(bls, { number, secretKey, parentMixHash: parentMixHash(parent, config) });
}

/**
 * Why others would reject the reveals of a proposer with this node's key; undefined if they would not.
 * @param number - of the next block
 */
export function revealFault(
  number: bigint,
  proposer: Address,
  config: ChainConfig,
  randao: RandaoParts | undefined,
): string | undefined {
  if (!rulesAt(config, number).randao) return undefined;
  if (randao?.secretKey === undefined) return "bls key not configured";
  const { bls, keys, secretKey } = randao;
  try {
    const isOwn = equalBytes(keys.publicKey(proposer, number), bls.publicKey(secretKey));
    return isOwn ? undefined : "the node's BLS key is not the one in the chain's registry";
  } catch (error) {
    if (error instanceof NodeError) return error.message;
    throw error;
  }
}

/** The parent's mix hash; zero at the fork block. */
function parentMixHash(parent: Header, config: ChainConfig): Hash {
  const isFork = config.forks.randao === parent.number + 1n;
  return isFork ? ZERO_HASH : (parent.mixHash ?? ZERO_HASH);
}

function wrongFields(reason: string, field: "randomReveal" | "mixHash" = "randomReveal"): ConsensusError {
  return new ConsensusError("HEADER_RANDAO", reason, { field });
}
