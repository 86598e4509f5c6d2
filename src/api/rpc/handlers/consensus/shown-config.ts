import type { StakingInfo } from "../../../../ledger/extensions/staking/staking-info.ts";
import { stakingGini } from "../../../../ledger/extensions/staking/staking-info.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import type { ChainConfig, ParamSet } from "../../../../protocol/params/config.ts";
import { FORKS, type Fork, type Rules } from "../../../../protocol/params/forks.ts";
import { PARAMETERS } from "../../../../protocol/params/parameters.ts";
import { type Address, ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { ExactJson, ExactObject } from "../../spec/values/exact-json.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";

/** Parameters by their names; decimals as text. */
export function showParams(params: Partial<ParamSet>): WireObject {
  const present = PARAMETERS.filter(({ field }) => params[field] !== undefined);
  return Object.fromEntries(present.map(({ name, field, kind }) => [name, showValue(params[field], kind)]));
}

/** The value of a parameter: 64-bit numbers as numbers, longer ones as text. */
export function showValue(value: unknown, kind: string): Json {
  if (value instanceof Uint8Array) return bytesToHex(value);
  if (typeof value === "bigint") return kind === "decimal" ? value.toString() : Number(value);
  return value as Json;
}

/** Which forks are active, sorted by name as in the reference; KIP-103 is one block only. */
export function forkStatus(rules: Rules, config: ChainConfig, number: bigint): WireObject {
  const forks = FORKS.map(
    (fork) => [`Is${fork.charAt(0).toUpperCase()}${fork.slice(1)}`, rules[fork]] as const,
  );
  const isKip103 = config.kip103 !== undefined && config.kip103.block === number;
  const sorted = [...forks, ["IsKIP103", isKip103] as const].sort(([a], [b]) => (a < b ? -1 : 1));
  return { ChainID: Number(config.chainId), ...Object.fromEntries(sorted) };
}

/** The forks in the order in which the reference declares them in the configuration; `randao` comes later there. */
const CONFIG_FORKS: Readonly<Record<Exclude<Fork, "randao">, true>> = {
  istanbul: true,
  london: true,
  ethTxType: true,
  magma: true,
  kore: true,
  shanghai: true,
  cancun: true,
  kaia: true,
  prague: true,
  osaka: true,
};

/** The configuration as a genesis file would have it, with the parameters of a block. @param shown - see `shownParams` */
export function showConfig(config: ChainConfig, shown: ParamSet): ExactObject {
  const { kip103, kip160, randaoRegistry, blobSchedule } = config;
  const shownForks = Object.keys(CONFIG_FORKS) as (keyof typeof CONFIG_FORKS)[];
  return present({
    chainId: config.chainId,
    ...Object.fromEntries(shownForks.map((name) => [`${name}CompatibleBlock`, config.forks[name]])),
    kip103CompatibleBlock: kip103?.block,
    kip103ContractAddress: bytesToHex(kip103?.contract ?? ZERO_ADDRESS),
    kip160CompatibleBlock: kip160?.block,
    kip160ContractAddress: bytesToHex(kip160?.contract ?? ZERO_ADDRESS),
    randaoCompatibleBlock: config.forks.randao,
    randaoRegistry: randaoRegistry && {
      records: mapped(randaoRegistry.records),
      owner: bytesToHex(randaoRegistry.owner),
    },
    istanbul: { epoch: shown.epoch, policy: shown.policy, sub: shown.committeeSize },
    blobSchedule: blobSchedule && { osaka: { ...blobSchedule } },
    unitPrice: shown.unitPrice,
    deriveShaImpl: shown.deriveShaImpl,
    governance: showGovernance(shown),
  });
}

function showGovernance(params: ParamSet): ExactObject {
  return {
    governingNode: bytesToHex(params.governingNode),
    governanceMode: params.governanceMode,
    govParamContract: bytesToHex(params.govParamContract),
    reward: {
      mintingAmount: params.mintingAmount,
      ratio: params.ratio,
      kip82ratio: params.kip82Ratio,
      useGiniCoeff: params.useGiniCoeff,
      deferredTxFee: params.deferredTxFee,
      stakingUpdateInterval: params.stakingUpdateInterval,
      proposerUpdateInterval: params.proposerUpdateInterval,
      minimumStake: params.minimumStake,
    },
    kip71: {
      lowerboundbasefee: params.lowerBoundBaseFee,
      upperboundbasefee: params.upperBoundBaseFee,
      gastarget: params.gasTarget,
      maxblockgasusedforbasefee: params.maxBlockGasUsedForBaseFee,
      basefeedenominator: params.baseFeeDenominator,
    },
  };
}

/** Stakes with the fund addresses under all the names that they have had. */
export function showStaking(info: StakingInfo, params: ParamSet, rules: Rules): WireObject {
  const { nodes, pools } = info;
  const [kef, kif] = [bytesToHex(info.kefAddress), bytesToHex(info.kifAddress)];
  const column = (of: (node: StakingInfo["nodes"][number]) => Json): Json => nodes.map(of);
  return {
    blockNum: Number(info.sourceBlock),
    councilNodeAddrs: column(({ nodeId }) => bytesToHex(nodeId)),
    councilStakingAddrs: column(({ stakingContract }) => bytesToHex(stakingContract)),
    councilRewardAddrs: column(({ rewardAddress }) => bytesToHex(rewardAddress)),
    kefAddr: kef,
    kifAddr: kif,
    councilStakingAmounts: column(({ amount }) => Number(amount)),
    clStakingInfos:
      pools === undefined
        ? null
        : pools.map(({ nodeId, pool, amount }) => ({
            clNodeId: bytesToHex(nodeId),
            clPoolAddr: bytesToHex(pool),
            clStakingAmount: Number(amount),
          })),
    KIRAddr: kef,
    PoCAddr: kif,
    kcfAddr: kef,
    kffAddr: kif,
    useGini: rules.kore ? false : params.useGiniCoeff,
    gini: stakingGini(info, params.minimumStake),
  };
}

function mapped(addresses: Readonly<Record<string, Address>>): ExactObject {
  return Object.fromEntries(Object.entries(addresses).map(([name, address]) => [name, bytesToHex(address)]));
}

function present(members: Readonly<Record<string, ExactJson | undefined>>): ExactObject {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as ExactObject;
}
