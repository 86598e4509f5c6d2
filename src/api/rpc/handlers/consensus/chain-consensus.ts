import { activeAddress } from "../../../../ledger/extensions/contracts/registry.ts";
import { registryRecords } from "../../../../ledger/extensions/contracts/registry-records.ts";
import { shownParams } from "../../../../ledger/extensions/governance/shown-params.ts";
import { runPaced } from "../../../../platform/runtime/turns/pace.ts";
import { checksumAddress } from "../../../../protocol/account/address.ts";
import { blobBaseFee } from "../../../../protocol/block/blob-gas.ts";
import { isZeroBytes } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { MAX_UINT64 } from "../../../../protocol/primitives/integers.ts";
import { refused } from "../../engine/errors.ts";
import { type ListedObject, objectsText, objectText } from "../../engine/text/list-text.ts";
import type { Caller } from "../../services/heavy-reads.ts";
import type { chainConsensus, ethMining, istanbul } from "../../spec/consensus/chain-consensus.ts";
import type { Handlers } from "../../spec/method.ts";
import { type BlockNumber, unsignedNumber } from "../../spec/values/block-ref.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { ChainReader, type LocatedBlock } from "../chain/chain-reader.ts";
import { consensusBlock, pendingConsensusBlock } from "./consensus-block.ts";
import { type ConsensusDeps, ConsensusReader } from "./consensus-reader.ts";
import { rewardOf, showReward } from "./rewards.ts";
import { forkStatus, showConfig, showParams, showStaking } from "./shown-config.ts";

/** First round's time; the reference's default. */
const ROUND_TIMEOUT_MS = 10_000;
/** Maximum distance between the first and the last block of a range. */
const MAX_RANGE = 50n;

/** Consensus in the chain namespace. */
export function chainConsensusHandlers(deps: ConsensusDeps): Handlers<typeof chainConsensus> {
  const { chain, extensions } = deps;
  const reader = new ConsensusReader(deps);
  const blocks = new ChainReader(chain, deps.pending);
  const { validators } = extensions;
  const at = (number: BlockNumber | undefined) => reader.numberOf(number);
  const council = (number: BlockNumber | undefined) => validators.council(reader.validatorNumber(number));
  const withConsensus = (number: BlockNumber) =>
    consensusBlock(deps, blocks.requireBlock({ number: unsignedNumber(number) }));
  const render = (block: ListedObject, caller: Caller) =>
    deps.reads.run(caller, (pace, draft) => runPaced(pace, objectText(block, draft)));
  return {
    getCouncil: ({ number }) => council(number),
    getCouncilSize: ({ number }) => council(number).length,
    getCommittee: ({ number }) => reader.committee(number),
    getCommitteeSize: ({ number }) => reader.committee(number).length,
    getRewards: ({ number }) => showReward(rewardOf(deps, at(number))),
    getStakingInfo: ({ number }) => stakingOf(deps, number, at),
    getParams: ({ number }) => paramsOf(deps, at(number)),
    getChainConfig({ number }) {
      const wanted = at(number);
      return showConfig(chain.config, shownParams(chain.params.at(wanted), chain.rulesAt(wanted)));
    },
    forkStatus({ number }) {
      const wanted = at(number);
      if (wanted > chain.head.header.number)
        throw refused(`the block does not exist (block number: ${BigInt.asIntN(64, wanted)})`);
      return forkStatus(chain.rulesAt(wanted), chain.config, wanted);
    },
    nodeAddress: () => deps.nodeAddress,
    rewardbase() {
      const rewardbase = deps.rewardbase();
      if (rewardbase === undefined) throw refused("rewardbase must be explicitly specified");
      return rewardbase;
    },
    getBlsInfos: ({ number }) => blsInfos(deps, at(number)),
    getActiveAddressFromRegistry({ name, number }) {
      const address = activeAddress(extensions.contracts, ...registryAt(deps, at(number)), name);
      if (isZeroBytes(address)) throw refused(`no active address for ${name}`);
      return address;
    },
    getAllRecordsFromRegistry({ name, number }) {
      const records = registryRecords(extensions.contracts, ...registryAt(deps, at(number)), name);
      if (records.length === 0) throw refused(`${name} has not been registered`);
      return records.map(({ address, activation }) => ({
        activation: Number(activation),
        addr: bytesToHex(address),
      }));
    },
    getBlockWithConsensusInfoByNumber({ number }, context) {
      if (number === undefined) throw refused("block number is not assigned");
      if (number !== "pending") return render(withConsensus(number), context);
      return blocks.withBlock(number, (located) =>
        render(pendingConsensusBlock(deps, located as LocatedBlock), context),
      );
    },
    getBlockWithConsensusInfoByHash: ({ hash }, context) =>
      render(consensusBlock(deps, blocks.requireBlock({ hash, requireCanonical: false })), context),
    getBlockWithConsensusInfoByNumberRange({ first, last }, context) {
      const range = consensusRange(first, last, chain.head.header.number);
      const named = function* () {
        for (const number of range) yield [`0x${number.toString(16)}`, withConsensus(number)] as const;
      };
      return deps.reads.run(context, (pace, draft) => runPaced(pace, objectsText(named(), draft)));
    },
    isSenderTxHashIndexingEnabled: () => true,
    isParallelDBWrite: () => false,
    isConsoleLogEnabled: () => false,
  };
}

/** The istanbul namespace. */
export function istanbulHandlers(deps: ConsensusDeps): Handlers<typeof istanbul> {
  const { chain, extensions } = deps;
  const { validators } = extensions;
  const reader = new ConsensusReader(deps);
  const proposals = new Map<string, boolean>();
  const numberOfHash = (hash: Uint8Array): bigint => {
    const number = chain.number(hash);
    if (number === undefined) throw refused("unknown block");
    return number;
  };
  return {
    getValidators: ({ number }) => validators.qualified(reader.validatorNumber(number)),
    getValidatorsAtHash: ({ hash }) => validators.qualified(numberOfHash(hash)),
    getDemotedValidators: ({ number }) => validators.demoted(reader.validatorNumber(number)),
    getDemotedValidatorsAtHash: ({ hash }) => validators.demoted(numberOfHash(hash)),
    candidates: () => Object.fromEntries(proposals),
    propose({ address, accept }) {
      proposals.set(bytesToHex(address), accept);
      return null;
    },
    discard({ address }) {
      proposals.delete(bytesToHex(address));
      return null;
    },
    getTimeout: () => ROUND_TIMEOUT_MS,
  };
}

/** The remaining mining methods of the eth namespace. */
export function ethMiningHandlers({ chain, nodeAddress }: ConsensusDeps): Handlers<typeof ethMining> {
  return {
    coinbase: () => nodeAddress,
    etherbase: () => nodeAddress,
    mining: () => false,
    hashrate: () => 0n,
    getHashrate: () => 0,
    getWork() {
      throw refused("no mining work available yet");
    },
    submitWork: () => false,
    submitHashrate: () => false,
    blobBaseFee: () => blobBaseFee(chain.head.header.baseFee ?? 0n),
  };
}

/** Stakes that count for a block. @param at - its number @throws RpcError -32000 for the pending one */
export function stakingOf<N extends BlockNumber | undefined>(
  { chain, extensions }: ConsensusDeps,
  asked: N,
  at: (asked: N) => bigint,
): WireObject {
  // The reference reads -2, its number for `pending`, as unsigned.
  if (asked === "pending") throw refused(`failed to get header for block number ${MAX_UINT64 - 2n}`);
  const number = at(asked);
  const info = extensions.staking.at(number);
  return showStaking(info, chain.params.at(number), chain.rulesAt(number));
}

/** Parameters in force at a block. */
export function paramsOf({ chain }: ConsensusDeps, number: bigint): WireObject {
  return showParams(shownParams(chain.params.at(number), chain.rulesAt(number)));
}

function blsInfos({ chain, extensions }: ConsensusDeps, number: bigint): WireObject {
  if (!chain.rulesAt(number).randao || extensions.blsKeys === undefined)
    throw refused("cannot read kip113 address from registry before randao fork");
  const keys = extensions.blsKeys;
  const infos = [...keys.all(number)].map(([address, record]) => [
    checksumAddress(hexToBytes(address)),
    {
      pop: bytesToHex(record.possession).slice(2),
      publicKey: bytesToHex(record.publicKey).slice(2),
      // The reference marshals its error value, which has no exported members.
      verifyErr: keys.isPossessed(record) ? null : {},
    },
  ]);
  return Object.fromEntries(infos) as WireObject;
}

/** State and header of a block that has the registry. */
function registryAt({ chain }: ConsensusDeps, number: bigint) {
  if (!chain.rulesAt(number).randao) throw refused("Randao fork is not enabled");
  const [state, header] = [chain.stateAt(number), chain.header(number)];
  if (header === undefined) throw refused("block does not exist in blockchain");
  if (state === undefined) throw refused(`missing state of block ${number}`);
  return [state, header] as const;
}

function consensusRange(
  first: BlockNumber | undefined,
  last: BlockNumber | undefined,
  head: bigint,
): readonly bigint[] {
  if (first === undefined || last === undefined) throw refused("range values should not be nil");
  if (typeof first !== "bigint" || first < 0n) throw refused("start block number should be positive");
  const end = typeof last === "bigint" ? last : -1n;
  if (end > head) throw refused("end block number should be smaller than the latest block number");
  if (first > end) throw refused("start should be smaller than end");
  if (end - first > MAX_RANGE) throw refused("number of requested blocks should be smaller than 50");
  return Array.from({ length: Number(end - first) + 1 }, (_, i) => first + BigInt(i));
}
