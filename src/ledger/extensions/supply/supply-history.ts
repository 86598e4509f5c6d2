import { bigintToFixedBytes, bytesToBigint, concat, equalBytes } from "../../../protocol/primitives/bytes.ts";
import type { Chain } from "../../chain/chain.ts";
import { genesisSupply } from "../../chain/tables/chain-database.ts";
import { numberKey, numberOfKey } from "../../database/table/number-key.ts";
import type { Row, StateStore } from "../../state/state.ts";
import { ExtensionError } from "../errors.ts";
import { mintedAndBurnt } from "../reward/reward-of-block.ts";

/** Cumulative minted and burnt amounts, kei. */
export interface AccumulatedSupply {
  /** Genesis allocations plus the amounts minted by blocks 1…n. */
  readonly minted: bigint;
  /** Fees burnt by blocks 1…n. */
  readonly burntFee: bigint;
}

interface Sum extends AccumulatedSupply {
  readonly number: bigint;
}

/** Number → block hash ‖ minted ‖ burnt fees, 32 bytes each; a checkpoint every `INTERVAL` blocks, as far as requested. */
const TABLE = "supply";
const INTERVAL = 1024n;
const WORD = 32;
/** Blocks added up before yielding to other tasks. */
const TURN = 256n;

/** Dependencies of a supply history. */
export interface SupplyParts {
  readonly chain: Chain;
  readonly store: Pick<StateStore, "at" | "get" | "range" | "write">;
  /** Lets other tasks run. */
  readonly pause: () => Promise<void>;
}

/** Sums up minted and burnt amounts on demand, and stores checkpoints in the database. */
export class SupplyHistory {
  readonly #parts: SupplyParts;
  #newest: (Sum & { readonly hash: Uint8Array }) | undefined;
  /** Serialises calls, so that each benefits from the sums of the previous one. */
  #working: Promise<unknown> = Promise.resolve();

  constructor(parts: SupplyParts) {
    this.#parts = parts;
  }

  /** Amounts minted and burnt up to a block of the chain. @param signal - aborts the work */
  at(number: bigint, signal: AbortSignal): Promise<AccumulatedSupply> {
    const result = this.#working.then(() => this.#accumulate(number, signal));
    this.#working = result.catch(() => {});
    return result;
  }

  async #accumulate(number: bigint, signal: AbortSignal): Promise<AccumulatedSupply> {
    const { chain, store, pause } = this.#parts;
    let { number: at, minted, burntFee } = this.#nearest(number);
    const rows: Row[] = [];
    while (at < number) {
      const header = chain.header(++at);
      if (header === undefined) throw new ExtensionError("SUPPLY_UNKNOWN", `block ${at} left the chain`);
      const change = mintedAndBurnt(chain, header);
      minted += change.minted;
      burntFee += change.burntFee;
      if (at % INTERVAL === 0n) rows.push(this.#row({ number: at, minted, burntFee }));
      if (at % TURN !== 0n) continue;
      await pause();
      signal.throwIfAborted();
    }
    if (rows.length > 0) await store.write(rows);
    const hash = chain.hash(number);
    if (hash !== undefined) this.#newest = { number, minted, burntFee, hash };
    return { minted, burntFee };
  }

  /** The last sum at or below `number` that is valid for the current chain. @throws ExtensionError `SUPPLY_UNKNOWN` */
  #nearest(number: bigint): Sum {
    const { chain, store } = this.#parts;
    const isCanonical = (at: bigint, hash: Uint8Array) => {
      const there = chain.hash(at);
      return there !== undefined && equalBytes(there, hash);
    };
    if (this.#newest && this.#newest.number <= number && isCanonical(this.#newest.number, this.#newest.hash))
      return this.#newest;
    for (const [key, value] of store.range(TABLE, numberKey(0n), numberKey(number + 1n), true)) {
      const sum = numberOfKey(key);
      if (!isCanonical(sum, value.subarray(0, WORD))) continue;
      const [minted, burntFee] = [value.subarray(WORD, 2 * WORD), value.subarray(2 * WORD)];
      return { number: sum, minted: bytesToBigint(minted), burntFee: bytesToBigint(burntFee) };
    }
    const allotted = genesisSupply(store);
    if (allotted === undefined) throw new ExtensionError("SUPPLY_UNKNOWN", "supply checkpoint not found");
    return { number: 0n, minted: allotted, burntFee: 0n };
  }

  #row({ number, minted, burntFee }: Sum): Row {
    const words = [minted, burntFee].map((value) => bigintToFixedBytes(value, WORD));
    const hash = this.#parts.chain.hash(number) as Uint8Array;
    return { table: TABLE, key: numberKey(number), value: concat(hash, ...words) };
  }
}
