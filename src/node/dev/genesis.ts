import { encodeItem } from "../../protocol/codec/rlp/item.ts";
import { DEFAULT_PARAMS } from "../../protocol/params/defaults.ts";
import { FORKS } from "../../protocol/params/forks.ts";
import { type Address, concat } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";

/** What the genesis of a development chain is made from. */
export interface DevGenesis {
  readonly chainId: bigint;
  /** Address of the only validator. */
  readonly validator: Address;
  readonly accounts: readonly Address[];
  /** kei for each account */
  readonly balance: bigint;
  /** kei per gas: base fee of block 0 and lower bound of all blocks; undefined = Kaia's. */
  readonly baseFee?: bigint | undefined;
}

/** Contracts that tools expect on every chain, by address. */
const PREINSTALLED = {
  /** Block hash history, EIP-2935. */
  "0x0000f90827f1c53a10cb7a02335b175320002935":
    "0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff" +
    "81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500",
  /** Deterministic deployment proxy, used by Foundry and Hardhat for CREATE2 deployments. */
  "0x4e59b44847b379578588920ca78fbf26c0b4956c":
    "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3",
} as const;

/**
 * Every fork but randao is active from block 0: without a registry of BLS keys PREVRANDAO returns the parent hash, and
 * a block costs no BLS signature.
 */
const DEV_FORKS = FORKS.filter((fork) => fork !== "randao");

/** The genesis of a development chain in the Kaia JSON form: one validator, all forks but randao, funded accounts. */
export function devGenesis(parts: DevGenesis): Record<string, unknown> {
  const { chainId, validator, accounts, balance, baseFee } = parts;
  const forks = Object.fromEntries(DEV_FORKS.map((fork) => [`${fork}CompatibleBlock`, 0]));
  const alloc: Record<string, { balance: string; code?: string }> = {};
  for (const [address, code] of Object.entries(PREINSTALLED)) alloc[address] = { balance: "0x0", code };
  for (const account of accounts) alloc[bytesToHex(account)] = { balance: `0x${balance.toString(16)}` };
  return {
    config: {
      chainId: Number(chainId),
      ...forks,
      istanbul: { epoch: 604_800, policy: 0, sub: 1 },
      unitPrice: 25_000_000_000,
      deriveShaImpl: 2,
      governance: {
        governanceMode: "none",
        ...(baseFee !== undefined && { kip71: kip71(Number(baseFee)) }),
        reward: { mintingAmount: 9_600_000_000_000_000_000, ratio: "100/0/0", deferredTxFee: true },
      },
    },
    timestamp: "0x0",
    extraData: bytesToHex(concat(new Uint8Array(32), encodeItem([[validator], new Uint8Array(65), []]))),
    blockScore: "0x1",
    ...(baseFee !== undefined && { baseFeePerGas: Number(baseFee) }),
    alloc,
  };
}

/** The base fee parameters with another lower bound; the rest is as on Kaia. @see KIP-71 */
function kip71(least: number): Record<string, number> {
  const { upperBoundBaseFee, gasTarget, maxBlockGasUsedForBaseFee, baseFeeDenominator } = DEFAULT_PARAMS;
  return {
    lowerboundbasefee: least,
    upperboundbasefee: Math.max(least, Number(upperBoundBaseFee)),
    gastarget: Number(gasTarget),
    maxblockgasusedforbasefee: Number(maxBlockGasUsedForBaseFee),
    basefeedenominator: Number(baseFeeDenominator),
  };
}
