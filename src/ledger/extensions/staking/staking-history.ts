import type { Header } from "../../../protocol/block/header.ts";
import type { ChainConfig } from "../../../protocol/params/config.ts";
import { genesisParams } from "../../../protocol/params/defaults.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import { LruMap } from "../../../protocol/primitives/lru.ts";
import type { ExecutedBlock } from "../../chain/chain.ts";
import type { Ancestry, BlockHooks } from "../../chain/execute/consensus-rules.ts";
import { numberKey } from "../../database/table/number-key.ts";
import type { Row, StateStore } from "../../state/state.ts";
import type { ContractReader } from "../contracts/contract-reader.ts";
import { ExtensionError } from "../errors.ts";
import { readStakingInfo } from "./address-book.ts";
import { decodeStakingInfo, encodeStakingInfo } from "./staking-codec.ts";
import type { StakingInfo } from "./staking-info.ts";

/** Number of a block at a staking interval → staking information after it; before kaia only. */
const TABLE = "staking";

/** Dependencies of a staking history. */
export interface StakingParts {
  readonly config: ChainConfig;
  readonly ancestry: Ancestry;
  readonly store: Pick<StateStore, "get">;
  readonly contracts: ContractReader;
}

/**
 * The staking information in force at each block: from kaia on that after its parent; before kaia that of the interval
 * before the last one, which is stored, as its state may be pruned by the time it is needed.
 */
export class StakingHistory implements BlockHooks {
  readonly #parts: StakingParts;
  readonly #interval: bigint;
  readonly #known = new LruMap<bigint, StakingInfo>(64);

  constructor(parts: StakingParts) {
    this.#parts = parts;
    this.#interval = genesisParams(parts.config).stakingUpdateInterval;
  }

  /**
   * Staking information in force at block `number`.
   * @throws ExtensionError `HISTORY_MISSING`, `STAKING`
   */
  at(number: bigint): StakingInfo {
    const { kaia } = rulesAt(this.#parts.config, number);
    const source = stakingSource(number, kaia, this.#interval);
    let info = this.#known.get(source);
    if (info === undefined) {
      info = (kaia ? undefined : this.#stored(source)) ?? this.#read(source);
      this.#known.set(source, info);
    }
    return info;
  }

  inserted({ block: { header } }: ExecutedBlock): readonly Row[] {
    const source = header.number - 1n;
    if (source % this.#interval !== 0n || rulesAt(this.#parts.config, header.number).kaia) return [];
    return [{ table: TABLE, key: numberKey(source), value: encodeStakingInfo(this.#read(source)) }];
  }

  rewind(to: Header): readonly Row[] {
    this.#known.clear();
    const rows: Row[] = [];
    let number = to.number - (to.number % this.#interval) + this.#interval;
    for (; this.#row(number) !== undefined; number += this.#interval) {
      rows.push({ table: TABLE, key: numberKey(number), value: null });
    }
    return rows;
  }

  #stored(source: bigint): StakingInfo | undefined {
    const row = this.#row(source);
    return row && decodeStakingInfo(row);
  }

  #row(number: bigint): Uint8Array | undefined {
    return this.#parts.store.get(TABLE, numberKey(number));
  }

  #read(source: bigint): StakingInfo {
    const { ancestry, config, contracts } = this.#parts;
    const header = ancestry.header(source);
    const state = ancestry.stateAt(source);
    if (header === undefined || state === undefined) {
      const missing = header === undefined ? "header" : "state";
      throw new ExtensionError("HISTORY_MISSING", `failed to get ${missing} for block number ${source}`, {
        source,
      });
    }
    const next = source + 1n;
    const withPools = rulesAt(config, next).prague && config.forks.randao !== next;
    return readStakingInfo({ state, header, contracts, withPools });
  }
}

/** Block whose state provides the staking information in force at block `number`. */
export function stakingSource(number: bigint, kaia: boolean, interval: bigint): bigint {
  if (kaia) return number === 0n ? 0n : number - 1n;
  if (number <= 2n * interval) return 0n;
  return number - 1n - ((number - 1n) % interval) - interval;
}
