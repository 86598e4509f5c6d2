import type { Header } from "../../../protocol/block/header.ts";
import { type Address, isZeroBytes, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import type { StateReader } from "../../state/state.ts";
import { AbiOutput, addressWord, callInput } from "../contracts/abi.ts";
import { ADDRESS_BOOK, REGISTRY } from "../contracts/addresses.ts";
import type { ContractReader } from "../contracts/contract-reader.ts";
import { activeAddress } from "../contracts/registry.ts";
import { ExtensionError } from "../errors.ts";
import { emptyStakingInfo, type LiquidityPool, type StakingInfo } from "./staking-info.ts";

const KEI_PER_KAIA = 10n ** 18n;

/** Types of entries in the address book's list. */
const NODE_ID = 0n;
const STAKING_CONTRACT = 1n;
const REWARD_ADDRESS = 2n;
const INFRASTRUCTURE_FUND = 3n;
const ECOSYSTEM_FUND = 4n;

/** The state from which staking information is read. */
export interface StakingSource {
  readonly state: StateReader;
  /** Header of the block whose state this is. */
  readonly header: Header;
  readonly contracts: ContractReader;
  /** Whether liquidity pools count: from prague on, if the registry is installed. */
  readonly withPools: boolean;
}

/**
 * Reads stakes from the address book and the registry of liquidity pools.
 * @returns empty information if there is no active address book
 * @throws ExtensionError `STAKING`, `CONTRACT_OUTPUT` if a contract fails or returns malformed output
 */
export function readStakingInfo(source: StakingSource): StakingInfo {
  const { state, header } = source;
  if (!hasCode(state, ADDRESS_BOOK)) return emptyStakingInfo(header.number);
  const entries = readEntries(source);
  const pools = source.withPools && hasCode(state, REGISTRY) ? readPools(source) : [];
  const info = assemble(source, entries);
  return info !== undefined && pools.length > 0
    ? { ...info, pools }
    : (info ?? emptyStakingInfo(header.number));
}

interface RegisteredAddress {
  readonly type: bigint;
  readonly address: Address;
}

function readEntries(source: StakingSource): RegisteredAddress[] {
  const output = callContract(source, ADDRESS_BOOK, callInput("getAllAddress()"), "AddressBook");
  const [types, addresses] = [output.uints(0), output.addresses(1)];
  if (types.length !== addresses.length)
    throw new ExtensionError("STAKING", "invalid result from AddressBook");
  return types.map((type, i) => ({ type, address: addresses[i] as Address }));
}

/** Undefined if the address book is incomplete, that is, not active. */
function assemble(
  { state, header }: StakingSource,
  entries: readonly RegisteredAddress[],
): StakingInfo | undefined {
  if (entries.some(({ type }) => type > ECOSYSTEM_FUND)) {
    throw new ExtensionError("STAKING", "invalid result from AddressBook");
  }
  const of = (type: bigint) => entries.filter((entry) => entry.type === type).map(({ address }) => address);
  const [nodeIds, contracts, rewards] = [of(NODE_ID), of(STAKING_CONTRACT), of(REWARD_ADDRESS)];
  const amounts = stakedAmounts(state, entries);
  const kifAddress = of(INFRASTRUCTURE_FUND).at(-1) ?? ZERO_ADDRESS;
  const kefAddress = of(ECOSYSTEM_FUND).at(-1) ?? ZERO_ADDRESS;
  const complete = [contracts, rewards, amounts].every(({ length }) => length === nodeIds.length);
  if (!complete || isZeroBytes(kifAddress) || isZeroBytes(kefAddress)) return undefined;
  const nodes = nodeIds.map((nodeId, i) => ({
    nodeId,
    stakingContract: contracts[i] as Address,
    rewardAddress: rewards[i] as Address,
    amount: amounts[i] as bigint,
  }));
  return { sourceBlock: header.number, nodes, kefAddress, kifAddress };
}

/** Balances of the staking contracts, the second of every three entries; the last two entries are the funds. */
function stakedAmounts(state: StateReader, entries: readonly RegisteredAddress[]): bigint[] {
  const count = entries.length - 2;
  if (entries.length < 5 || count % 3 !== 0) return [];
  return Array.from({ length: count / 3 }, (_, i) => {
    const { address } = entries[3 * i + 1] as RegisteredAddress;
    return (state.account(address)?.balance ?? 0n) / KEI_PER_KAIA;
  });
}

function readPools(source: StakingSource): LiquidityPool[] {
  const { state, header, contracts } = source;
  const registry = activeAddress(contracts, state, header, "CLRegistry");
  const token = activeAddress(contracts, state, header, "WrappedKaia");
  if (isZeroBytes(registry)) return [];
  const output = callContract(source, registry, callInput("getAllCLs()"), "CLRegistry");
  const [nodeIds, pools] = [output.addresses(0), output.addresses(2)];
  if (nodeIds.length !== pools.length) throw new ExtensionError("STAKING", "invalid result from CLRegistry");
  return pools.map((pool, i) => ({
    nodeId: nodeIds[i] as Address,
    pool,
    amount: poolAmount(source, token, pool),
  }));
}

function poolAmount(source: StakingSource, token: Address, pool: Address): bigint {
  if (isZeroBytes(token)) return 0n;
  const input = callInput("balanceOf(address)", addressWord(pool));
  return callContract(source, token, input, "CLRegistry").uint(0) / KEI_PER_KAIA;
}

function callContract(source: StakingSource, to: Address, input: Uint8Array, name: string): AbiOutput {
  const output = source.contracts.call(source.state, source.header, to, input);
  if (output === undefined) throw new ExtensionError("STAKING", `error calling ${name}: execution reverted`);
  return new AbiOutput(output);
}

function hasCode(state: StateReader, address: Address): boolean {
  const account = state.account(address);
  return account !== undefined && state.code(account.codeHash).length > 0;
}
