import { address } from "../../../../protocol/codec/json/hex.ts";
import { nullable, wire } from "../../../../protocol/codec/json/object.ts";
import { int, small, string } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { atPositions, joinedRewards } from "../block-range.ts";
import { method } from "../method.ts";
import { blockNumber, numberAt } from "../values/block-ref.ts";
import { type ExactObject, exact } from "../values/exact-json.ts";
import type { WireObject } from "../values/wire-types.ts";

const number = optional(blockNumber, "Number of the block; default latest.");
const votes = exact<readonly ExactObject[]>("Votes", "array");

/** Parameters and votes. */
export const governance = {
  vote: method({
    summary: "Queues a vote of this node; it goes into the next block that the node proposes.",
    params: {
      name: required(string, "Parameter, or governance.addvalidator, governance.removevalidator."),
      value: required(wire<Json>("value", {}), "New value."),
    },
    result: string,
    scope: "node",
  }),
  votes: method({
    summary: "Votes on parameters in a block's epoch.",
    params: { number },
    result: votes,
    scope: "chain",
  }),
  myVotes: method({
    summary: "This node's votes of the current epoch, and those waiting for a block of its own.",
    params: {},
    result: votes,
    scope: "node",
  }),
  idxCache: method({
    summary: "Blocks whose headers set parameters.",
    params: {},
    result: wire<number[]>("BlockNumbers", { type: "array", items: small(int).json }),
    scope: "chain",
  }),
  status: method({
    summary: "All votes, the parameters set by headers, and the resulting parameters.",
    params: {},
    result: exact<ExactObject>("GovernanceStatus"),
    scope: "node",
  }),
  getParams: method({
    summary: "Governance parameters in force at a block.",
    params: { number },
    result: wire<WireObject>("GovernanceParameters", {
      type: "object",
      description: "Parameters by name, such as `governance.unitprice`.",
    }),
    scope: "chain",
  }),
  getContractParams: method({
    summary: "Parameters that the GovParam contract sets for a block; null without a contract.",
    params: {
      number: required(blockNumber, "Number of the block."),
      contract: optional(address, "Contract to read instead of the one in force."),
    },
    result: nullable(
      wire<WireObject>("GovernanceParameters", {
        type: "object",
        description: "Parameters by name, such as `governance.unitprice`.",
      }),
    ),
    scope: "chain",
  }),
  getStakingInfo: method({
    summary: "Stakes that are effective at a block, in whole KAIA.",
    params: { number: required(blockNumber, "Number of the block.") },
    result: wire<WireObject>("StakingInfo", {
      type: "object",
      description: "Stakers with their nodes, reward accounts and stakes.",
    }),
    scope: "chain",
  }),
  getRewardsAccumulated: method({
    summary:
      "Amounts that a range of at most 604800 blocks minted, burnt and paid to each recipient, in kei.",
    params: {
      first: required(blockNumber, "Number of the first block."),
      last: required(blockNumber, "Number of the last block."),
    },
    result: exact<ExactObject>("AccumulatedRewards"),
    scope: "chain",
    blocks({ first, last }, latest) {
      const [from, to] = [numberAt(first, latest), numberAt(last, latest)];
      return { first: from, last: to, within: atPositions(0, 1), join: joinedRewards };
    },
  }),
  nodeAddress: method({ summary: "Address of this node's key.", params: {}, result: address, scope: "node" }),
};
