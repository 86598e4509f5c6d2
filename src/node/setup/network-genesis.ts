import { ADDRESS_BOOK, REGISTRY } from "../../ledger/extensions/contracts/addresses.ts";
import { REGISTRY_CODE } from "../../ledger/extensions/randao/registry-code.ts";
import { registryStorage } from "../../ledger/extensions/randao/registry-install.ts";
import { encodeItem } from "../../protocol/codec/rlp/item.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { FORKS } from "../../protocol/params/forks.ts";
import { type Address, concat } from "../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { ADDRESS_BOOK_CODE, addressBookStorage } from "./address-book.ts";
import { BLS_REGISTRY_CODE, type BlsRecord, blsRegistryStorage } from "./bls-registry.ts";

/** Address of the registry of BLS keys. */
const BLS_REGISTRY: Address = hexToBytes("0x0000000000000000000000000000000000000402");
const KEI = 10n ** 18n;
/** Stake of each validator, and the minimum stake, in KAIA. */
const STAKE = 5_000_000n;
/** KAIA of the funded account. */
const FUNDS = 10_000_000_000n;
/** Minimum number of blocks from a vote on parameters to its effect: about an hour. */
const EPOCH = 3_600;
const COMMITTEE_SIZE = 21;

/** Parameters of the genesis of a new network. */
export interface NetworkPlan {
  readonly chainId: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly validators: readonly BlsRecord[];
  /** The account that may register more validators and holds the funds. */
  readonly owner: Address;
}

/**
 * The genesis of a network in Kaia's JSON format: all forks from block 0, proposers selected randomly among all with a stake, the
 * registries that this needs, and one funded account.
 */
export function networkGenesis({
  chainId,
  timestamp,
  validators,
  owner,
}: NetworkPlan): Record<string, unknown> {
  const addresses = validators.map(({ validator }) => validator);
  const records = { KIP113: BLS_REGISTRY };
  const staking = addresses.map(stakingAddress);
  const entries = addresses.map((validator, i) => ({
    ...{ validator, reward: validator },
    staking: staking[i] as Address,
  }));
  const contracts = {
    [bare(ADDRESS_BOOK)]: contract(
      ADDRESS_BOOK_CODE,
      addressBookStorage(owner, entries, { infrastructure: owner, ecosystem: owner }),
    ),
    [bare(REGISTRY)]: contract(
      REGISTRY_CODE,
      Object.fromEntries(
        registryStorage({ records, owner }).map(({ slot, value }) => [bytesToHex(slot), bytesToHex(value)]),
      ),
    ),
    [bare(BLS_REGISTRY)]: contract(BLS_REGISTRY_CODE, blsRegistryStorage(owner, validators)),
  };
  return {
    config: {
      chainId,
      ...Object.fromEntries(FORKS.map((fork) => [`${fork}CompatibleBlock`, 0])),
      blobSchedule: { osaka: { target: 1, max: 1, updateFraction: 5_007_716 } },
      istanbul: { epoch: EPOCH, policy: 2, sub: COMMITTEE_SIZE },
      unitPrice: 25_000_000_000,
      deriveShaImpl: 2,
      governance: {
        governanceMode: "none",
        reward: {
          ...{ mintingAmount: 9_600_000_000_000_000_000, ratio: "34/54/12", kip82ratio: "20/80" },
          ...{ useGiniCoeff: false, deferredTxFee: true, minimumStake: Number(STAKE) },
          ...{ stakingUpdateInterval: 60, proposerUpdateInterval: 30 },
        },
      },
      randaoRegistry: { records: { KIP113: bytesToHex(BLS_REGISTRY) }, owner: bytesToHex(owner) },
    },
    timestamp: `0x${timestamp.toString(16)}`,
    extraData: bytesToHex(concat(new Uint8Array(32), encodeItem([addresses, new Uint8Array(65), []]))),
    blockScore: "0x1",
    governanceData: null,
    alloc: {
      ...contracts,
      ...Object.fromEntries(staking.map((address) => [bare(address), { balance: amount(STAKE) }])),
      [bare(owner)]: { balance: amount(FUNDS) },
    },
  };
}

/** Account of a validator's stake, which has no known key, so that the stake cannot be withdrawn. */
function stakingAddress(validator: Address): Address {
  return keccak256(concat(new TextEncoder().encode("stake of "), validator)).subarray(12);
}

function contract(code: Uint8Array, storage: Record<string, string>) {
  return { balance: "0x0", code: bytesToHex(code), storage };
}

function bare(address: Address): string {
  return bytesToHex(address).slice(2);
}

function amount(kaia: bigint): string {
  return `0x${(kaia * KEI).toString(16)}`;
}
