import type { ParamSet } from "./config.ts";

/**
 * Kind of a parameter's value: `uint64` and `decimal` are bigint here (`decimal` is text in JSON and in votes),
 * `index` is a small uint64 kept as number, `flag` a boolean, `text` a string, `address` 20 bytes.
 */
export type ParameterKind = "uint64" | "index" | "decimal" | "flag" | "text" | "address";

/** The value of any governance parameter. */
export type ParameterValue = ParamSet[keyof ParamSet];

/** One governance parameter: its name in votes and governance data, and the field of `ParamSet` that holds it. */
export interface Parameter {
  readonly name: string;
  readonly field: keyof ParamSet;
  readonly kind: ParameterKind;
  /** Whether validators may vote on it. */
  readonly votable: boolean;
  /** Whether a value of the right kind is acceptable. */
  accepts(value: ParameterValue): boolean;
}

const anything = () => true;
const atMostTwo = (value: ParameterValue) => (value as number) <= 2;
const positive = (value: ParameterValue) => Number(value) > 0;
const shares = (count: number) => (value: ParameterValue) => isRatio(String(value), count);
const modes = (value: ParameterValue) => value === "none" || value === "single";

type Row = [
  name: string,
  field: keyof ParamSet,
  kind: ParameterKind,
  votable: boolean,
  accepts?: Parameter["accepts"],
];

const rows: readonly Row[] = [
  ["governance.deriveshaimpl", "deriveShaImpl", "index", true, atMostTwo],
  ["governance.governancemode", "governanceMode", "text", false, modes],
  ["governance.governingnode", "governingNode", "address", true],
  ["governance.govparamcontract", "govParamContract", "address", true],
  ["governance.unitprice", "unitPrice", "uint64", true],
  ["istanbul.committeesize", "committeeSize", "index", true, positive],
  ["istanbul.epoch", "epoch", "uint64", false],
  ["istanbul.policy", "policy", "index", false, atMostTwo],
  ["kip71.basefeedenominator", "baseFeeDenominator", "uint64", true, positive],
  ["kip71.gastarget", "gasTarget", "uint64", true],
  ["kip71.lowerboundbasefee", "lowerBoundBaseFee", "uint64", true],
  ["kip71.maxblockgasusedforbasefee", "maxBlockGasUsedForBaseFee", "uint64", true],
  ["kip71.upperboundbasefee", "upperBoundBaseFee", "uint64", true],
  ["reward.deferredtxfee", "deferredTxFee", "flag", false],
  ["reward.kip82ratio", "kip82Ratio", "text", true, shares(2)],
  ["reward.minimumstake", "minimumStake", "decimal", false, (value) => (value as bigint) >= 0n],
  ["reward.mintingamount", "mintingAmount", "decimal", true],
  ["reward.proposerupdateinterval", "proposerUpdateInterval", "uint64", false],
  ["reward.ratio", "ratio", "text", true, shares(3)],
  ["reward.stakingupdateinterval", "stakingUpdateInterval", "uint64", false],
  ["reward.useginicoeff", "useGiniCoeff", "flag", false],
];

/** Every governance parameter, sorted by name. @see reference node v2.2.1, `kaiax/gov` */
export const PARAMETERS: readonly Parameter[] = rows.map(
  ([name, field, kind, votable, accepts = anything]) => ({
    name,
    field,
    kind,
    votable,
    accepts,
  }),
);

const byName = new Map(PARAMETERS.map((parameter) => [parameter.name, parameter]));

/** The parameter called `name`; undefined when there is none. */
export function parameterNamed(name: string): Parameter | undefined {
  return byName.get(name);
}

/** Whether `text` is `count` whole percentages joined by `/` that add up to 100, such as `34/54/12`. */
export function isRatio(text: string, count: number): boolean {
  const parts = text.split("/");
  if (parts.length !== count || !parts.every((part) => /^\+?\d+$/.test(part))) return false;
  return parts.reduce((sum, part) => sum + Number(part), 0) === 100;
}

/** The percentages of a ratio as whole numbers. */
export function ratioParts(ratio: string): readonly bigint[] {
  return ratio.split("/").map((part) => BigInt(part));
}
