import type { GovernanceHistory } from "../../../../ledger/extensions/governance/governance-history.ts";
import {
  type GovernanceVote,
  type ParameterVote,
  voteName,
} from "../../../../ledger/extensions/governance/vote.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { numberText } from "../../../../protocol/codec/json/value.ts";
import type { ParamSet } from "../../../../protocol/params/config.ts";
import { DEFAULT_PARAMS } from "../../../../protocol/params/defaults.ts";
import { equalBytes, isZeroBytes } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { refused } from "../../engine/errors.ts";
import type { governance } from "../../spec/consensus/governance.ts";
import type { Handlers } from "../../spec/method.ts";
import type { ExactJson, ExactObject } from "../../spec/values/exact-json.ts";
import { paramsOf, stakingOf } from "./chain-consensus.ts";
import { type ConsensusDeps, ConsensusReader } from "./consensus-reader.ts";
import { accumulatedRewards } from "./rewards.ts";
import { showParams, showValue } from "./shown-config.ts";

const PREPARED =
  "(kaiax) Your vote is prepared. It will be put into the block header or applied when your node generates a block " +
  "as a proposer. Note that your vote may be duplicate.";

/** The governance namespace. */
export function governanceHandlers(deps: ConsensusDeps): Handlers<typeof governance> {
  const { chain, extensions, nodeAddress } = deps;
  const reader = new ConsensusReader(deps);
  const history = extensions.params;
  const rules = extensions.governance;
  const votesAt = (number: bigint) => votesOfEpoch(history.votes(), number / history.epoch, history.epoch);
  return {
    vote({ name, value }) {
      rules.cast(nodeAddress, name, plainValue(value), chain.head.header.number + 1n);
      return PREPARED;
    },
    votes: ({ number }) => votesAt(reader.numberOf(number)).map(([block, vote]) => showVote(block, vote)),
    myVotes() {
      const cast = votesAt(chain.head.header.number).filter(([, { voter }]) =>
        equalBytes(voter, nodeAddress),
      );
      return [
        ...cast.map(([block, vote]) => ({ ...showVote(block, vote), Casted: true })),
        ...rules.ownVotes.map((vote) => ({ ...showVote(0n, vote), Casted: false })),
      ];
    },
    idxCache: () => history.data().map(({ number }) => Number(number)),
    status: () => status(deps),
    getParams: ({ number }) => paramsOf(deps, reader.numberOf(number)),
    getContractParams({ number, contract }) {
      const wanted = reader.numberOf(number);
      if (!deps.chain.rulesAt(wanted).kore) throw refused("ContractEngine is not ready");
      const { govParamContract } = history.at(wanted);
      if (isZeroBytes(contract ?? govParamContract)) return null;
      const params = showParams(history.fromContract(wanted, contract));
      return contract !== undefined && Object.keys(params).length === 0 ? null : params;
    },
    getStakingInfo: ({ number }) => stakingOf(deps, number, (asked) => reader.numberOf(asked)),
    getRewardsAccumulated: ({ first, last }) =>
      accumulatedRewards(deps, reader.numberOf(first), reader.numberOf(last)),
    nodeAddress: () => nodeAddress,
  };
}

function votesOfEpoch(
  votes: ReadonlyMap<bigint, ParameterVote>,
  epoch: bigint,
  length: bigint,
): [bigint, ParameterVote][] {
  return [...votes].filter(([block]) => block / length === epoch);
}

function showVote(block: bigint, vote: GovernanceVote): ExactObject {
  return { BlockNum: Number(block), Key: voteName(vote), Value: voteValue(vote) };
}

/** Integers are written with all their digits, amounts too. */
function voteValue(vote: GovernanceVote): ExactJson {
  if (vote.kind !== "parameter") return vote.validators.map(bytesToHex);
  if (typeof vote.value === "bigint") return vote.value;
  return showValue(vote.value, vote.parameter.kind) as ExactJson;
}

/** Members of the parameters in `govHistory`, as the reference's structure has them. */
const HISTORY_MEMBERS: readonly [string, keyof ParamSet][] = [
  ["GovernanceMode", "governanceMode"],
  ["GoverningNode", "governingNode"],
  ["GovParamContract", "govParamContract"],
  ["CommitteeSize", "committeeSize"],
  ["ProposerPolicy", "policy"],
  ["Epoch", "epoch"],
  ["Ratio", "ratio"],
  ["Kip82Ratio", "kip82Ratio"],
  ["StakingUpdateInterval", "stakingUpdateInterval"],
  ["ProposerUpdateInterval", "proposerUpdateInterval"],
  ["MintingAmount", "mintingAmount"],
  ["MinimumStake", "minimumStake"],
  ["UseGiniCoeff", "useGiniCoeff"],
  ["DeferredTxFee", "deferredTxFee"],
  ["LowerBoundBaseFee", "lowerBoundBaseFee"],
  ["UpperBoundBaseFee", "upperBoundBaseFee"],
  ["GasTarget", "gasTarget"],
  ["MaxBlockGasUsedForBaseFee", "maxBlockGasUsedForBaseFee"],
  ["BaseFeeDenominator", "baseFeeDenominator"],
  ["DeriveShaImpl", "deriveShaImpl"],
  ["UnitPrice", "unitPrice"],
];

function status({ extensions, nodeAddress }: ConsensusDeps): ExactObject {
  const history = extensions.params;
  const grouped: Record<string, Record<string, ExactJson>> = {};
  for (const [block, vote] of history.votes()) {
    const epoch = String(block / history.epoch);
    grouped[epoch] ??= {};
    grouped[epoch][String(block)] = showOwnVote(vote);
  }
  const data = history.data();
  return {
    groupedVotes: grouped,
    governances: Object.fromEntries(
      data.map((entry) => [String(entry.number), showParams(entry.data) as ExactObject]),
    ),
    govHistory: governanceHistory(data),
    nodeAddress: bytesToHex(nodeAddress),
    myVotes: extensions.governance.ownVotes.map(showOwnVote),
  };
}

/**
 * The parameters resulting from defaults and headers, block by block; of the genesis configuration only its header's
 * data counts.
 */
function governanceHistory(data: ReturnType<GovernanceHistory["data"]>): ExactObject {
  let params = DEFAULT_PARAMS;
  const entries = data.map(({ number, data: set }) => {
    params = { ...params, ...set };
    return [String(number), structure(params)] as const;
  });
  return Object.fromEntries(entries);
}

function showOwnVote(vote: GovernanceVote): ExactObject {
  return { Voter: bytesToHex(vote.voter), Name: voteName(vote), Value: voteValue(vote) };
}

function structure(params: ParamSet): ExactObject {
  return Object.fromEntries(
    HISTORY_MEMBERS.map(([name, field]) => {
      const value = params[field];
      return [name, value instanceof Uint8Array ? bytesToHex(value) : value];
    }),
  );
}

/** A number with more digits than a double holds is kept exact, as text. */
function plainValue(value: Json): unknown {
  const digits = numberText(value);
  return digits !== undefined && typeof value !== "number" ? digits : value;
}
