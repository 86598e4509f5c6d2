import type { ChainConfig, ParamSet } from "./config.ts";
import { addressAt, type ConfigJson, flagAt, integerAt, objectAt, textAt } from "./config-json.ts";
import { DEFAULT_PARAMS } from "./defaults.ts";
import { ParamsError } from "./errors.ts";
import { checkForkOrder } from "./fork-order.ts";
import { FORKS } from "./forks.ts";
import { PARAMETERS, type Parameter, type ParameterValue } from "./parameters.ts";

/**
 * Reads the `config` object of a genesis file. An absent section leaves its parameters at the defaults; an absent key
 * in an existing section counts as zero, as in the reference node, unless zero is not an acceptable value.
 * @throws ParamsError for a wrong format, a removed consensus engine or forks out of order
 */
export function parseChainConfig(json: ConfigJson): ChainConfig {
  for (const engine of ["clique", "gxhash"]) if (json[engine] !== undefined) throw removedEngine(engine);
  const forks = Object.fromEntries(
    FORKS.map((fork) => [fork, integerAt(json, `${fork}CompatibleBlock`)]).filter(
      ([, block]) => block !== undefined,
    ),
  ) as ChainConfig["forks"];
  checkForkOrder(forks);
  return {
    chainId: integerAt(json, "chainId") ?? 0n,
    forks,
    ...rebalancing(json, "kip103"),
    ...rebalancing(json, "kip160"),
    ...randaoRegistry(json),
    ...blobSchedule(json),
    params: acceptable(writtenSettings(json)),
    json,
  };
}

function removedEngine(engine: string): ParamsError {
  return new ParamsError(
    "CONFIG_DEPRECATED_ENGINE",
    `DEPRECATED: '${engine}' consensus engine configuration is deprecated and has been removed. Please use 'istanbul' instead`,
  );
}

function rebalancing(json: ConfigJson, name: "kip103" | "kip160"): Pick<ChainConfig, "kip103" | "kip160"> {
  const block = integerAt(json, `${name}CompatibleBlock`);
  return block === undefined
    ? {}
    : { [name]: { block, contract: addressAt(json, `${name}ContractAddress`) } };
}

function randaoRegistry(json: ConfigJson): Pick<ChainConfig, "randaoRegistry"> {
  const registry = objectAt(json, "randaoRegistry");
  if (registry === undefined) return {};
  const records = objectAt(registry, "records") ?? {};
  const entries = Object.keys(records).map((name) => [name, addressAt(records, name)]);
  return { randaoRegistry: { records: Object.fromEntries(entries), owner: addressAt(registry, "owner") } };
}

function blobSchedule(json: ConfigJson): Pick<ChainConfig, "blobSchedule"> {
  const osaka = objectAt(objectAt(json, "blobSchedule") ?? {}, "osaka");
  if (osaka === undefined) return {};
  const at = (key: string) => integerAt(osaka, key) ?? 0n;
  return {
    blobSchedule: {
      target: at("target"),
      max: at("max"),
      baseFeeUpdateFraction: at("baseFeeUpdateFraction"),
    },
  };
}

/** Parameters whose values in the `config` object of a genesis file are not valid for them. */
export function unacceptableSettings(json: ConfigJson): readonly Parameter[] {
  const settings = writtenSettings(json);
  return PARAMETERS.filter(({ field, accepts }) => {
    const value = settings[field];
    return value !== undefined && !accepts(value as ParameterValue);
  });
}

/** The values of the existing sections, acceptable or not. */
function writtenSettings(json: ConfigJson): Partial<ParamSet> {
  const governance = objectAt(json, "governance");
  const istanbul = objectAt(json, "istanbul");
  return {
    unitPrice: integerAt(json, "unitPrice") ?? 0n,
    deriveShaImpl: Number(integerAt(json, "deriveShaImpl") ?? 0n),
    ...(istanbul && istanbulSettings(istanbul)),
    ...(governance && governanceSettings(governance)),
  };
}

function istanbulSettings(json: ConfigJson): Partial<ParamSet> {
  return {
    epoch: integerAt(json, "epoch") ?? 0n,
    policy: Number(integerAt(json, "policy") ?? 0n),
    committeeSize: Number(integerAt(json, "sub") ?? 0n),
  };
}

function governanceSettings(json: ConfigJson): Partial<ParamSet> {
  const reward = objectAt(json, "reward");
  const kip71 = objectAt(json, "kip71");
  return {
    governanceMode: (textAt(json, "governanceMode") ?? "") as ParamSet["governanceMode"],
    governingNode: addressAt(json, "governingNode"),
    govParamContract: addressAt(json, "govParamContract"),
    ...(reward && rewardSettings(reward)),
    ...(kip71 && kip71Settings(kip71)),
  };
}

function rewardSettings(json: ConfigJson): Partial<ParamSet> {
  return {
    mintingAmount: integerAt(json, "mintingAmount") ?? DEFAULT_PARAMS.mintingAmount,
    ratio: textAt(json, "ratio") ?? "",
    kip82Ratio: textAt(json, "kip82ratio") ?? "",
    useGiniCoeff: flagAt(json, "useGiniCoeff") ?? false,
    deferredTxFee: flagAt(json, "deferredTxFee") ?? false,
    minimumStake: integerAt(json, "minimumStake") ?? DEFAULT_PARAMS.minimumStake,
    // Intervals divide block numbers, so the reference replaces zero by the default.
    stakingUpdateInterval: integerAt(json, "stakingUpdateInterval") || DEFAULT_PARAMS.stakingUpdateInterval,
    proposerUpdateInterval:
      integerAt(json, "proposerUpdateInterval") || DEFAULT_PARAMS.proposerUpdateInterval,
  };
}

function kip71Settings(json: ConfigJson): Partial<ParamSet> {
  return {
    lowerBoundBaseFee: integerAt(json, "lowerboundbasefee") ?? 0n,
    upperBoundBaseFee: integerAt(json, "upperboundbasefee") ?? 0n,
    gasTarget: integerAt(json, "gastarget") ?? 0n,
    maxBlockGasUsedForBaseFee: integerAt(json, "maxblockgasusedforbasefee") ?? 0n,
    baseFeeDenominator: integerAt(json, "basefeedenominator") ?? 0n,
  };
}

/** Drops values that the parameter does not accept, so that the default holds. */
function acceptable(settings: Partial<ParamSet>): Partial<ParamSet> {
  const kept = PARAMETERS.filter(({ field, accepts }) => {
    const value = settings[field];
    return value !== undefined && accepts(value as ParameterValue);
  });
  return Object.fromEntries(kept.map(({ field }) => [field, settings[field]]));
}
