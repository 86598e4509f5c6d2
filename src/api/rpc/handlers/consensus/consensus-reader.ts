import type { Blockchain } from "../../../../ledger/chain/blockchain.ts";
import type { PendingBlocks } from "../../../../ledger/chain/execute/pending.ts";
import type { Extensions } from "../../../../ledger/extensions/extensions.ts";
import type { Header } from "../../../../protocol/block/header.ts";
import { roundOf } from "../../../../protocol/block/istanbul-extra.ts";
import type { Address } from "../../../../protocol/primitives/bytes.ts";
import { refused } from "../../engine/errors.ts";
import type { HeavyReads } from "../../services/heavy-reads.ts";
import type { BlockNumber } from "../../spec/values/block-ref.ts";

/** What consensus methods read. */
export interface ConsensusDeps {
  readonly chain: Blockchain;
  readonly extensions: Extensions;
  /** Absent on a node that seals no blocks. */
  readonly pending?: PendingBlocks | undefined;
  /** Address of this node's key; the zero address without one. */
  readonly nodeAddress: Address;
  /** Blocks with thousands of transactions are rendered in turns. */
  readonly reads: HeavyReads;
  /** Reward address of this node. */
  readonly rewardbase: () => Address | undefined;
}

/** What proposers and committees of blocks are read from. */
export type CommitteeSources = Pick<ConsensusDeps, "chain" | "extensions">;

/** Validators that voted on a block, in the round in which it was committed. */
export function committeeOf({ extensions }: CommitteeSources, { number, extra }: Header): readonly Address[] {
  return extensions.validators.committee(number, roundOf(extra));
}

/** Resolves block references, and finds proposer and committee of blocks. */
export class ConsensusReader {
  readonly deps: ConsensusDeps;

  constructor(deps: ConsensusDeps) {
    this.deps = deps;
  }

  /** Number of a block, unsigned; the latest one for every tag and by default. */
  numberOf(number: BlockNumber | undefined): bigint {
    return typeof number === "bigint" ? BigInt.asUintN(64, number) : this.deps.chain.head.header.number;
  }

  /** The same for validator sets, which the block after the newest has too. @throws RpcError -32000 */
  validatorNumber(number: BlockNumber | undefined): bigint {
    const head = this.deps.chain.head.header.number;
    const wanted = number === "pending" ? head + 1n : this.numberOf(number);
    if (wanted > head + 1n) throw refused("unknown block");
    return wanted;
  }

  /** Validators that voted on a block, in the round in which it was committed. @throws RpcError -32000 */
  committee(number: BlockNumber | undefined): readonly Address[] {
    const wanted = this.validatorNumber(number);
    const header = this.deps.chain.header(wanted);
    if (header === undefined) throw refused("pending is not allowed");
    return committeeOf(this.deps, header);
  }
}
