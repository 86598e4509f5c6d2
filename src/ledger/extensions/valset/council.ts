import type { Header } from "../../../protocol/block/header.ts";
import { decodeIstanbulExtra } from "../../../protocol/block/istanbul-extra.ts";
import type { ParamReader } from "../../../protocol/params/config.ts";
import { type Address, concat, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import type { ExecutedBlock } from "../../chain/chain.ts";
import type { BlockHooks } from "../../chain/execute/consensus-rules.ts";
import { numberKey, numberOfKey } from "../../database/table/number-key.ts";
import type { Row, StateStore } from "../../state/state.ts";
import { decodeVote, type GovernanceVote, type ValidatorVote } from "../governance/vote.ts";
import { sortAddresses } from "./address-order.ts";

/** Number of a block whose vote changed the council → the council after it, as concatenated addresses. */
const TABLE = "council";

/** Validators removed by the vote in a block. */
export interface Removal {
  readonly number: bigint;
  readonly removed: readonly Address[];
}

/** A council, and the block whose vote formed it. */
interface FormedCouncil extends Removal {
  readonly validators: readonly Address[];
}

/** Dependencies of a council history. */
export interface CouncilParts {
  readonly genesis: Header;
  readonly params: ParamReader;
  readonly store: Pick<StateStore, "range">;
}

/** The council of each block: the genesis validators, changed by votes that take effect in the next block. */
export class CouncilHistory implements BlockHooks {
  readonly #params: ParamReader;
  readonly #entries: FormedCouncil[] = [];

  constructor({ genesis, params, store }: CouncilParts) {
    this.#params = params;
    const validators = sortAddresses(decodeIstanbulExtra(genesis.extra).validators);
    this.#entries.push({ number: 0n, validators, removed: [] });
    for (const [key, value] of store.range(TABLE, numberKey(0n), numberKey(MAX_UINT64))) {
      this.#add(numberOfKey(key), splitAddresses(value));
    }
  }

  /** Validators of block `number`, sorted by checksum form. */
  at(number: bigint): readonly Address[] {
    let i = this.#entries.length - 1;
    while (i > 0 && (this.#entries[i] as FormedCouncil).number >= number) i--;
    return (this.#entries[i] as FormedCouncil).validators;
  }

  /** Validators removed by votes in blocks `from`…`to` - 1, by block. */
  removals(from: bigint, to: bigint): readonly Removal[] {
    return this.#entries.filter(({ number, removed }) => number >= from && number < to && removed.length > 0);
  }

  inserted({ block: { header } }: ExecutedBlock): readonly Row[] {
    const changed = this.#changedBy(header);
    return changed === undefined
      ? []
      : [{ table: TABLE, key: numberKey(header.number), value: concat(...changed) }];
  }

  committed({ block: { header } }: ExecutedBlock): void {
    const changed = this.#changedBy(header);
    if (changed !== undefined) this.#add(header.number, changed);
  }

  rewind(to: Header): readonly Row[] {
    const rows: Row[] = [];
    while ((this.#entries.at(-1) as FormedCouncil).number > to.number) {
      const { number } = this.#entries.pop() as FormedCouncil;
      rows.push({ table: TABLE, key: numberKey(number), value: null });
    }
    return rows;
  }

  #changedBy(header: Header): Address[] | undefined {
    const vote = validatorVote(header);
    if (vote === undefined) return undefined;
    const council = this.at(header.number + 1n);
    const { governingNode } = this.#params.at(header.number);
    const changed = applyVote(council, vote, governingNode);
    return changed.length === council.length ? undefined : changed;
  }

  #add(number: bigint, validators: readonly Address[]): void {
    const before = (this.#entries.at(-1) as FormedCouncil).validators;
    const removed = before.filter((address) => !includes(validators, address));
    this.#entries.push({ number, validators: sortAddresses(validators), removed });
  }
}

/** The council after a vote, which never affects the governing node. */
function applyVote(council: readonly Address[], vote: ValidatorVote, governingNode: Address): Address[] {
  const changed = [...council];
  for (const address of vote.validators) {
    if (equalBytes(address, governingNode)) continue;
    const index = changed.findIndex((validator) => equalBytes(validator, address));
    if (vote.kind === "addvalidator" && index < 0) changed.push(address);
    if (vote.kind === "removevalidator" && index >= 0) changed.splice(index, 1);
  }
  return changed;
}

function validatorVote(header: Header): ValidatorVote | undefined {
  if (header.vote.length === 0) return undefined;
  const vote: GovernanceVote = decodeVote(header.vote);
  return vote.kind === "parameter" ? undefined : vote;
}

function includes(list: readonly Address[], address: Address): boolean {
  return list.some((candidate) => equalBytes(candidate, address));
}

function splitAddresses(bytes: Uint8Array): Address[] {
  return Array.from({ length: bytes.length / 20 }, (_, i) => bytes.slice(20 * i, 20 * i + 20));
}
