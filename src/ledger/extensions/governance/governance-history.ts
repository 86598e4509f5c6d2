import type { Header } from "../../../protocol/block/header.ts";
import type { ChainConfig, ParamReader, ParamSet } from "../../../protocol/params/config.ts";
import { genesisParams } from "../../../protocol/params/defaults.ts";
import { ParamsError } from "../../../protocol/params/errors.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import { LruMap } from "../../../protocol/primitives/lru.ts";
import type { ExecutedBlock } from "../../chain/chain.ts";
import type { BlockHooks } from "../../chain/execute/consensus-rules.ts";
import { numberKey, numberOfKey } from "../../database/table/number-key.ts";
import type { Row, StateStore } from "../../state/state.ts";
import { decodeGovernanceData } from "./governance-data.ts";
import { decodeVote, type ParameterVote } from "./vote.ts";

/** Number → `governance` field of the epoch blocks that have one. */
const DATA = "governance";
/** Number → `vote` field of the blocks that vote on a parameter. */
const VOTES = "vote";

/** Returns parameters that override those from headers, from kore on: those of the GovParam contract. */
export type ParamOverlay = (number: bigint, fromHeaders: ParamSet) => Partial<ParamSet>;

interface GovernanceChange {
  readonly number: bigint;
  /** Parameters set by all headers up to this one. */
  readonly params: ParamSet;
  /** Parameters set by this header. */
  readonly data: Partial<ParamSet>;
}

/** Dependencies of a governance history. */
export interface GovernanceParts {
  readonly config: ChainConfig;
  readonly genesis: Header;
  readonly store: Pick<StateStore, "range">;
  readonly overlay?: ParamOverlay;
}

/**
 * The parameters of every block: defaults, genesis configuration, governance data of headers, overlay. Votes and governance
 * data are few, and kept in memory as well as in two tables.
 */
export class GovernanceHistory implements ParamReader, BlockHooks {
  readonly epoch: bigint;
  readonly #config: ChainConfig;
  readonly #overlay: ParamOverlay | undefined;
  readonly #entries: GovernanceChange[] = [];
  readonly #votes = new Map<bigint, ParameterVote>();
  readonly #overlaid = new LruMap<bigint, ParamSet>(64);

  /** @throws ParamsError `CONFIG_FORMAT` if the epoch is 0 */
  constructor(parts: GovernanceParts) {
    this.#config = parts.config;
    this.#overlay = parts.overlay;
    const initial = genesisParams(parts.config);
    this.epoch = initial.epoch;
    // As in the reference, such a genesis can be initialised, but no node starts on it.
    if (this.epoch === 0n)
      throw new ParamsError("CONFIG_FORMAT", "chain configuration: istanbul.epoch is 0 or missing");
    const { governance } = parts.genesis;
    const data = governance.length > 0 ? decodeGovernanceData(governance) : {};
    this.#entries.push({ number: 0n, params: { ...initial, ...data }, data });
    for (const [key, value] of wholeTable(parts.store, DATA)) this.#addData(numberOfKey(key), value);
    for (const [key, value] of wholeTable(parts.store, VOTES)) this.#addVote(numberOfKey(key), value);
  }

  at(number: bigint): ParamSet {
    const kore = rulesAt(this.#config, number).kore;
    const fromHeaders = this.#entryUpTo(effectiveFrom(number, this.epoch, kore)).params;
    if (!kore || this.#overlay === undefined) return fromHeaders;
    return this.#withOverlay(number, fromHeaders, this.#overlay);
  }

  /**
   * Parameters set by the GovParam contract for a block; none before kore or without a contract.
   * @param contract - read instead of the one in force
   */
  fromContract(number: bigint, contract?: Address): Partial<ParamSet> {
    if (this.#overlay === undefined || !rulesAt(this.#config, number).kore) return {};
    const { params } = this.#entryUpTo(effectiveFrom(number, this.epoch, true));
    return this.#overlay(number, contract === undefined ? params : { ...params, govParamContract: contract });
  }

  /** Parameters set by the headers up to `number`, even if not in force yet. */
  announced(number: bigint): ParamSet {
    return this.#entryUpTo(number).params;
  }

  /** Governance data by block, oldest first; that of block 0 is from the genesis. */
  data(): readonly { readonly number: bigint; readonly data: Partial<ParamSet> }[] {
    return this.#entries;
  }

  /** Votes on parameters by block, oldest first. */
  votes(): ReadonlyMap<bigint, ParameterVote> {
    return this.#votes;
  }

  /** Governance data required in epoch block `number`: the last vote on each parameter in the previous epoch. */
  expectedData(number: bigint): Partial<ParamSet> {
    const expected: Record<string, unknown> = {};
    for (const [block, { parameter, value }] of this.#votes) {
      if (block >= number - this.epoch && block < number) expected[parameter.field] = value;
    }
    return expected as Partial<ParamSet>;
  }

  inserted({ block: { header } }: ExecutedBlock): readonly Row[] {
    const rows: Row[] = [];
    const key = numberKey(header.number);
    if (header.governance.length > 0) rows.push({ table: DATA, key, value: header.governance });
    if (parameterVote(header.vote)) rows.push({ table: VOTES, key, value: header.vote });
    return rows;
  }

  committed({ block: { header } }: ExecutedBlock): void {
    this.#overlaid.clear();
    if (header.governance.length > 0) this.#addData(header.number, header.governance);
    this.#addVote(header.number, header.vote);
  }

  rewind(to: Header): readonly Row[] {
    const rows: Row[] = [];
    while ((this.#entries.at(-1) as GovernanceChange).number > to.number) {
      const { number } = this.#entries.pop() as GovernanceChange;
      rows.push({ table: DATA, key: numberKey(number), value: null });
    }
    for (const number of [...this.#votes.keys()].filter((block) => block > to.number)) {
      this.#votes.delete(number);
      rows.push({ table: VOTES, key: numberKey(number), value: null });
    }
    this.#overlaid.clear();
    return rows;
  }

  #withOverlay(number: bigint, fromHeaders: ParamSet, overlay: ParamOverlay): ParamSet {
    let params = this.#overlaid.get(number);
    if (params === undefined) {
      params = { ...fromHeaders, ...overlay(number, fromHeaders) };
      this.#overlaid.set(number, params);
    }
    return params;
  }

  #entryUpTo(number: bigint): GovernanceChange {
    let i = this.#entries.length - 1;
    while (i > 0 && (this.#entries[i] as GovernanceChange).number > number) i--;
    return this.#entries[i] as GovernanceChange;
  }

  #addData(number: bigint, bytes: Uint8Array): void {
    const data = decodeGovernanceData(bytes);
    this.#entries.push({
      number,
      params: { ...(this.#entries.at(-1) as GovernanceChange).params, ...data },
      data,
    });
  }

  #addVote(number: bigint, bytes: Uint8Array): void {
    const vote = parameterVote(bytes);
    if (vote !== undefined) this.#votes.set(number, vote);
  }
}

/** The vote on a parameter in a `vote` field; undefined if it is empty or a vote on a validator. */
function parameterVote(bytes: Uint8Array): ParameterVote | undefined {
  if (bytes.length === 0) return undefined;
  const vote = decodeVote(bytes);
  return vote.kind === "parameter" ? vote : undefined;
}

/** Newest block whose governance data is in force at block `number`: the start of the previous epoch. */
export function effectiveFrom(number: bigint, epoch: bigint, kore: boolean): bigint {
  if (number <= epoch) return 0n;
  const counted = kore ? number : number - 1n;
  return counted - (counted % epoch) - epoch;
}

function wholeTable(store: Pick<StateStore, "range">, table: string): Iterable<[Uint8Array, Uint8Array]> {
  return store.range(table, numberKey(0n), numberKey(MAX_UINT64));
}
