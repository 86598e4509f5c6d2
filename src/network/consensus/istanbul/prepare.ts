import type { StakingInfo } from "../../../ledger/extensions/staking/staking-info.ts";
import type { ValidatorSets } from "../../../ledger/extensions/valset/validator-sets.ts";
import { nextBaseFee } from "../../../protocol/block/base-fee.ts";
import { nextExcessBlobGas } from "../../../protocol/block/blob-gas.ts";
import { EMPTY_BLOOM } from "../../../protocol/block/bloom.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { unsealedExtra } from "../../../protocol/block/istanbul-extra.ts";
import type { ChainConfig, ParamReader } from "../../../protocol/params/config.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import {
  type Address,
  EMPTY_BYTES,
  equalBytes,
  isZeroBytes,
  ZERO_HASH,
} from "../../../protocol/primitives/bytes.ts";
import { BLOCK_PERIOD, ISTANBUL_BLOCK_SCORE } from "./header-rules.ts";
import { makeRandao, type RandaoParts } from "./randao-rules.ts";

/** Dependencies of header preparation. */
export interface PrepareParts {
  readonly config: ChainConfig;
  readonly params: ParamReader;
  readonly validators: ValidatorSets;
  readonly stakingAt: (number: bigint) => StakingInfo;
  readonly randao?: RandaoParts | undefined;
  readonly proposer: ProposerOptions;
}

/** The identity of this node as a proposer. */
export interface ProposerOptions {
  readonly address: Address;
  /** Reward address, unless the address book has another one for this node. */
  readonly rewardbase: Address;
  /** Free text of up to 31 bytes for the extra data. */
  readonly vanity: Uint8Array;
}

/** The header of the block after `parent` before execution, without votes and seals. */
export function prepareHeader(parent: Header, nowMs: number, parts: PrepareParts): Header {
  const number = parent.number + 1n;
  const qualified = parts.validators.qualified(number);
  return {
    parentHash: blockHash(parent),
    rewardbase: rewardbaseOf(number, qualified, parts),
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    bloom: EMPTY_BLOOM,
    blockScore: ISTANBUL_BLOCK_SCORE,
    number,
    gasUsed: 0n,
    ...timeAfter(parent, nowMs),
    extra: unsealedExtra(parts.proposer.vanity, qualified),
    governance: EMPTY_BYTES,
    vote: EMPTY_BYTES,
    ...forkFields(parent, parts),
  };
}

/** One period after the parent, or the current time, with hundredths of a second, if that is later. */
function timeAfter(parent: Header, nowMs: number): Pick<Header, "time" | "timeFoS"> {
  const due = parent.time + BLOCK_PERIOD;
  const now = BigInt(Math.floor(nowMs / 1000));
  return due >= now
    ? { time: due, timeFoS: parent.timeFoS }
    : { time: now, timeFoS: Math.floor((nowMs % 1000) / 10) };
}

function forkFields(parent: Header, { config, params, randao }: PrepareParts): Partial<Header> {
  const number = parent.number + 1n;
  const rules = rulesAt(config, number);
  return {
    ...(rules.magma && { baseFee: nextBaseFee(parent, params.at(number)) }),
    ...makeRandao(parent, config, randao),
    ...(rules.osaka && { blobGasUsed: 0n, excessBlobGas: nextExcessBlobGas(parent, config) }),
  };
}

/** Under policy 2 a registered validator's rewards go to the address in the address book. */
function rewardbaseOf(number: bigint, qualified: readonly Address[], parts: PrepareParts): Address {
  const { address, rewardbase } = parts.proposer;
  const takesPart = qualified.some((validator) => equalBytes(validator, address));
  if (parts.params.at(number).policy !== 2 || !takesPart) return rewardbase;
  const entry = parts.stakingAt(number).nodes.find(({ nodeId }) => equalBytes(nodeId, address));
  return entry === undefined || isZeroBytes(entry.rewardAddress) ? rewardbase : entry.rewardAddress;
}
