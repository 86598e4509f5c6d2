import { isEmptyAccount } from "../../../protocol/account/account.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { authorOf } from "../../../protocol/block/seal.ts";
import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import type { ExecutedBlock } from "../../chain/chain.ts";
import type { Ancestry, BlockHooks } from "../../chain/execute/consensus-rules.ts";
import { ExtensionError } from "../errors.ts";
import { decodeGovernanceData, encodeGovernanceData, equalParams } from "./governance-data.ts";
import type { GovernanceHistory } from "./governance-history.ts";
import { createVote, decodeVote, encodeVote, type GovernanceVote, type ParameterVote } from "./vote.ts";

/** Dependencies of the governance rules. */
export interface GovernanceRulesParts {
  readonly history: GovernanceHistory;
  readonly ancestry: Ancestry;
  /** Validators that may vote in a block. */
  readonly council: (number: bigint) => readonly Address[];
}

const BAD_VOTE = "your vote couldn't be placed. Please check your vote's key and value";

/** Checks and fills the `vote` and `governance` fields of headers; holds this node's pending votes. */
export class GovernanceRules implements BlockHooks {
  readonly #parts: GovernanceRulesParts;
  readonly #ownVotes: GovernanceVote[] = [];

  constructor(parts: GovernanceRulesParts) {
    this.#parts = parts;
  }

  verifyHeader(header: Header): void {
    if (header.vote.length > 0) this.#verifyVote(header);
    this.#verifyData(header);
  }

  /** Adds this node's oldest vote, and in an epoch block the result of the previous epoch's votes. */
  prepare(header: Header): Header {
    const { history } = this.#parts;
    const [vote] = this.#ownVotes;
    const expected = header.number % history.epoch === 0n ? history.expectedData(header.number) : {};
    const voted = Object.keys(expected).length > 0;
    return {
      ...header,
      ...(vote !== undefined && { vote: encodeVote(vote) }),
      ...(voted && { governance: encodeGovernanceData(expected) }),
    };
  }

  /** Drops a vote of this node once it is in a block. */
  committed({ block: { header } }: ExecutedBlock): void {
    const index = this.#ownVotes.findIndex((vote) => equalBytes(encodeVote(vote), header.vote));
    if (index >= 0) this.#ownVotes.splice(index, 1);
  }

  /** Votes of this node waiting for its next proposal. */
  get ownVotes(): readonly GovernanceVote[] {
    return this.#ownVotes;
  }

  /**
   * Queues a vote of this node.
   * @param number - number of the next block
   * @throws ExtensionError if this node may not vote or the value is invalid
   */
  cast(voter: Address, name: string, value: unknown, number: bigint): GovernanceVote {
    const { governanceMode, governingNode } = this.#parts.history.at(number);
    if (governanceMode === "single" && !equalBytes(governingNode, voter)) {
      throw refused("you don't have the right to vote");
    }
    const vote = voteOf(voter, name, value);
    this.#checkConsistency(vote, number);
    this.#ownVotes.push(vote);
    return vote;
  }

  #verifyVote(header: Header): void {
    const vote = decodeVote(header.vote);
    const council = this.#parts.council(header.number);
    if (!council.some((validator) => equalBytes(validator, vote.voter))) throw refused(BAD_VOTE);
    if (!equalBytes(authorOf(header), vote.voter)) throw refused("invalid voter");
    this.#checkConsistency(vote, header.number);
  }

  #checkConsistency(vote: GovernanceVote, number: bigint): void {
    if (vote.kind === "parameter") this.#checkParameter(vote, number);
    else this.#checkValidators(vote.validators, number);
  }

  #checkValidators(validators: readonly Address[], number: bigint): void {
    const { governanceMode, governingNode } = this.#parts.history.at(number);
    if (governanceMode === "single" && validators.some((address) => equalBytes(address, governingNode))) {
      throw refused("gov node is found in the valset vote value");
    }
  }

  #checkParameter({ parameter, value }: ParameterVote, number: bigint): void {
    const params = this.#parts.history.at(number);
    const { field } = parameter;
    if (field === "governingNode" && params.governanceMode === "single") {
      this.#checkGoverningNode(params.governingNode, number);
    }
    if (field === "govParamContract") this.#checkContract(value as Address, number);
    if (field === "lowerBoundBaseFee" && (value as bigint) > params.upperBoundBaseFee) {
      throw refused("lowerboundbasefee is greater than upperboundbasefee");
    }
    if (field === "upperBoundBaseFee" && (value as bigint) < params.lowerBoundBaseFee) {
      throw refused("upperboundbasefee is less than lowerboundbasefee");
    }
  }

  /** The current governing node must be in the council; the reference does not check the new one. */
  #checkGoverningNode(governingNode: Address, number: bigint): void {
    const council = this.#parts.council(number - 1n);
    if (council.some((validator) => equalBytes(validator, governingNode))) return;
    throw refused("gov node is not found in the valset list");
  }

  #checkContract(address: Address, number: bigint): void {
    const account = this.#parts.ancestry.stateAt(number - 1n)?.account(address);
    if (account === undefined) throw refused("govparamcontract is not an account");
    if (account.type !== "sca" || isEmptyAccount(account)) {
      throw refused("govparamcontract is not an contract account");
    }
  }

  #verifyData({ number, governance }: Header): void {
    const { history } = this.#parts;
    if (number % history.epoch !== 0n) {
      if (governance.length > 0) throw wrongData("governance is not allowed in non-epoch block");
      return;
    }
    const stated = governance.length > 0 ? decodeGovernanceData(governance) : {};
    if (!equalParams(stated, history.expectedData(number))) {
      throw wrongData("header.Governance does not match the vote in previous epoch");
    }
  }
}

function voteOf(voter: Address, name: string, value: unknown): GovernanceVote {
  try {
    return createVote(voter, name, value);
  } catch (cause) {
    throw new ExtensionError("GOVERNANCE_VOTE", BAD_VOTE, { field: "vote", name }, { cause });
  }
}

function refused(reason: string): ExtensionError {
  return new ExtensionError("GOVERNANCE_VOTE", reason, { field: "vote" });
}

function wrongData(reason: string): ExtensionError {
  return new ExtensionError("GOVERNANCE_DATA", reason, { field: "governance" });
}
