import { EMPTY_BLOOM } from "../../../protocol/block/bloom.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { deriveSha } from "../../../protocol/block/list-root.ts";
import { genesisParams } from "../../../protocol/params/defaults.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import { EMPTY_BYTES, type Hash, ZERO_ADDRESS, ZERO_HASH } from "../../../protocol/primitives/bytes.ts";
import type { Genesis } from "./genesis.ts";

/** Block score if the genesis file has none. */
const DEFAULT_BLOCK_SCORE = 131_072n;

/** Random reveal of block 0, which is not signed. */
const ZERO_REVEAL = new Uint8Array(96);

/** Header of block 0. @param stateRoot - root of the state after `genesisChanges` */
export function genesisHeader(genesis: Genesis, stateRoot: Hash): Header {
  const emptyRoot = deriveSha(genesis.config.params.deriveShaImpl ?? 0, []);
  return {
    parentHash: genesis.parentHash,
    rewardbase: ZERO_ADDRESS,
    stateRoot,
    transactionsRoot: emptyRoot,
    receiptsRoot: emptyRoot,
    bloom: EMPTY_BLOOM,
    blockScore: genesis.blockScore ?? DEFAULT_BLOCK_SCORE,
    number: genesis.number,
    gasUsed: genesis.gasUsed,
    time: genesis.timestamp,
    timeFoS: 0,
    extra: genesis.extraData,
    governance: genesis.governance,
    vote: EMPTY_BYTES,
    ...forkFields(genesis),
  };
}

function forkFields(genesis: Genesis): Partial<Header> {
  const rules = rulesAt(genesis.config, 0n);
  return {
    ...(rules.magma && { baseFee: genesis.baseFee ?? genesisParams(genesis.config).lowerBoundBaseFee }),
    ...(rules.randao && { randomReveal: ZERO_REVEAL, mixHash: ZERO_HASH }),
    ...(rules.osaka && {
      blobGasUsed: genesis.blobGasUsed ?? 0n,
      excessBlobGas: genesis.excessBlobGas ?? 0n,
    }),
  };
}
