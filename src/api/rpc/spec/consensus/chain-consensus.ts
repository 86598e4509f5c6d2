import { InvalidParamsError, MismatchError } from "../../../../protocol/codec/json/errors.ts";
import { address, fixedBytes, hash, quantity64 } from "../../../../protocol/codec/json/hex.ts";
import { list, nothing, wire } from "../../../../protocol/codec/json/object.ts";
import { boolean, int, small, string } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { kindOf } from "../../../../protocol/codec/json/value.ts";
import { atPositions, joinedMembers } from "../block-range.ts";
import { method } from "../method.ts";
import { blockNumber } from "../values/block-ref.ts";
import { type ExactObject, exact } from "../values/exact-json.ts";
import { block, type WireObject } from "../values/wire-types.ts";

const number = optional(blockNumber, "Number of the block; default latest.");
const requiredNumber = required(blockNumber, "Number of the block.");
const addresses = list(address);
const nonceBytes = fixedBytes("nonce", 8, "BlockNonce");
/** The reference decodes texts itself and leaves everything else to its JSON library. */
const nonce: typeof nonceBytes = {
  ...nonceBytes,
  decode(value) {
    if (typeof value === "string") return decodedText(value);
    if (value === null) return new Uint8Array(8);
    const { expects } = nonceBytes;
    throw new MismatchError(kindOf(value), "*api.BlockNonce", { got: value, expects });
  },
};
/** @throws InvalidParamsError that describes only the invalid digits */
function decodedText(value: string): Uint8Array {
  try {
    return nonceBytes.decode(value);
  } catch (error) {
    if (!(error instanceof MismatchError)) throw error;
    throw new InvalidParamsError(error.found, { got: value, expects: nonceBytes.expects });
  }
}

const candidate = required(address, "Address of the validator.");
const anyObject = (title: string) => wire<WireObject>(title, { type: "object" });

/** Validators and rewards: consensus in the chain namespace. */
export const chainConsensus = {
  getCouncil: method({
    summary: "The council: all validators at a block.",
    params: { number },
    result: addresses,
    scope: "chain",
  }),
  getCouncilSize: method({
    summary: "Size of the council at a block.",
    params: { number },
    result: small(int),
    scope: "chain",
  }),
  getCommittee: method({
    summary: "The committee: the validators that voted on a block.",
    params: { number },
    result: addresses,
    scope: "chain",
  }),
  getCommitteeSize: method({
    summary: "Size of the committee of a block.",
    params: { number },
    result: small(int),
    scope: "chain",
  }),
  getRewards: method({
    summary: "Amounts that a block minted, burnt and paid to each recipient, in kei.",
    params: { number },
    result: exact<ExactObject>("Rewards"),
    scope: "chain",
  }),
  getStakingInfo: method({
    summary: "Stakes that are effective at a block, in whole KAIA.",
    params: { number: requiredNumber },
    result: anyObject("StakingInfo"),
    scope: "chain",
  }),
  getParams: method({
    summary: "Governance parameters in force at a block.",
    params: { number },
    result: anyObject("GovernanceParameters"),
    scope: "chain",
  }),
  getChainConfig: method({
    summary: "Configuration of the chain with the parameters in force at a block.",
    params: { number },
    result: exact<ExactObject>("ChainConfig"),
    scope: "chain",
  }),
  forkStatus: method({
    summary: "Which forks are active at a block.",
    params: { number: requiredNumber },
    result: anyObject("ForkStatus"),
    scope: "chain",
  }),
  nodeAddress: method({ summary: "Address of this node's key.", params: {}, result: address, scope: "node" }),
  rewardbase: method({
    summary: "Address to which this node's block rewards are paid.",
    params: {},
    result: address,
    scope: "node",
  }),
  getBlsInfos: method({
    summary: "BLS keys of the validators, by checksummed node address.",
    params: { number: requiredNumber },
    result: anyObject("BlsInfos"),
    scope: "chain",
  }),
  getActiveAddressFromRegistry: method({
    summary: "Address of a system contract in force at a block.",
    params: { name: required(string, "Name in the registry, such as `KIP113`."), number: requiredNumber },
    result: address,
    scope: "chain",
  }),
  getAllRecordsFromRegistry: method({
    summary: "Every address that a system contract has had or will have.",
    params: { name: required(string, "Name in the registry, such as `KIP113`."), number: requiredNumber },
    result: wire<Json[]>("RegistryRecords", { type: "array" }),
    scope: "chain",
  }),
  getBlockWithConsensusInfoByNumber: method({
    summary: "A block with its receipts, proposer, committee and committers.",
    params: { number },
    result: block,
    scope: "chain",
  }),
  getBlockWithConsensusInfoByHash: method({
    summary: "A block with its receipts, proposer, committee and committers.",
    params: { hash: required(hash, "Hash of the block.") },
    result: block,
    scope: "chain",
  }),
  getBlockWithConsensusInfoByNumberRange: method({
    summary: "Blocks of a range with consensus information; at most 51.",
    params: {
      first: optional(blockNumber, "Number of the first block."),
      last: optional(blockNumber, "Number of the last block."),
    },
    result: anyObject("BlocksByNumber"),
    scope: "chain",
    blocks: ({ first, last }) =>
      typeof first === "bigint" && typeof last === "bigint"
        ? { first, last, within: atPositions(0, 1), join: joinedMembers }
        : undefined,
  }),
  isSenderTxHashIndexingEnabled: method({
    summary: "true: transactions are always found by their sender transaction hash.",
    params: {},
    result: boolean,
    scope: "node",
  }),
  isParallelDBWrite: method({
    summary: "false: a block is one record here.",
    params: {},
    result: boolean,
    scope: "node",
  }),
  isConsoleLogEnabled: method({
    summary: "Whether contracts can log to the node's console.",
    params: {},
    result: boolean,
    scope: "node",
  }),
};

/** The validators of blocks, as the istanbul namespace shows them. */
export const istanbul = {
  getValidators: method({
    summary: "Validators that are qualified to propose and vote.",
    params: { number },
    result: addresses,
    scope: "chain",
  }),
  getValidatorsAtHash: method({
    summary: "Validators that are qualified to propose and vote.",
    params: { hash: required(hash, "Hash of the block.") },
    result: addresses,
    scope: "chain",
  }),
  getDemotedValidators: method({
    summary: "Validators demoted because their stake is too low.",
    params: { number },
    result: addresses,
    scope: "chain",
  }),
  getDemotedValidatorsAtHash: method({
    summary: "Validators demoted because their stake is too low.",
    params: { hash: required(hash, "Hash of the block.") },
    result: addresses,
    scope: "chain",
  }),
  candidates: method({
    summary: "Proposals noted by `propose`. They decide nothing: validators are voted on through governance.",
    params: {},
    result: anyObject("Candidates"),
    scope: "node",
  }),
  propose: method({
    summary: "Notes a proposal to add or remove a validator; see `candidates`.",
    params: { address: candidate, accept: required(boolean, "Whether to add it; otherwise to remove it.") },
    result: nothing,
    scope: "node",
  }),
  discard: method({
    summary: "Forgets a proposal.",
    params: { address: candidate },
    result: nothing,
    scope: "node",
  }),
  getTimeout: method({
    summary: "Milliseconds that the first round of a block may take.",
    params: {},
    result: small(int),
    scope: "node",
  }),
};

/** Mining methods of Ethereum's proof of work; clients still call them. */
export const ethMining = {
  coinbase: method({ summary: "Address of this node's key.", params: {}, result: address, scope: "node" }),
  etherbase: method({ summary: "Address of this node's key.", params: {}, result: address, scope: "node" }),
  mining: method({ summary: "false: blocks are not mined.", params: {}, result: boolean, scope: "node" }),
  hashrate: method({ summary: "0: blocks are not mined.", params: {}, result: quantity64, scope: "node" }),
  getHashrate: method({ summary: "0: blocks are not mined.", params: {}, result: small(int), scope: "node" }),
  getWork: method({
    summary: "Always an error: there is no work to do.",
    params: {},
    result: list(string),
    scope: "node",
  }),
  submitWork: method({
    summary: "false: there is no work to do.",
    params: {
      nonce: required(nonce, "Nonce that was found."),
      hash: required(hash, "Hash of the work."),
      digest: required(hash, "Mix digest."),
    },
    result: boolean,
    scope: "node",
  }),
  submitHashrate: method({
    summary: "false: blocks are not mined.",
    params: { rate: required(quantity64, "Hashes per second."), id: required(hash, "Id of the miner.") },
    result: boolean,
    scope: "node",
  }),
  blobBaseFee: method({
    summary: "Blob base fee of the newest block, in kei.",
    params: {},
    result: quantity64,
    scope: "chain",
  }),
};
