import { bytesToHex, hexToBytes } from "../primitives/hex.ts";
import { MAX_UINT64 } from "../primitives/integers.ts";
import type { ParamSet } from "./config.ts";
import { ParamsError } from "./errors.ts";
import { type Parameter, type ParameterValue, parameterNamed } from "./parameters.ts";

/**
 * Writes parameters as the JSON text of a governance header: sorted names, no spaces, numbers as digits, `decimal`
 * values as strings, addresses in lower-case hex.
 */
export function governanceJson(params: Partial<ParamSet>, parameters: readonly Parameter[]): string {
  const sorted = [...parameters].sort((a, b) => (a.name < b.name ? -1 : 1));
  const members = sorted.map(({ name, field, kind }) => {
    const value = params[field] as ParameterValue;
    return `${JSON.stringify(name)}:${valueText(value, kind)}`;
  });
  return `{${members.join(",")}}`;
}

function valueText(value: ParameterValue, kind: Parameter["kind"]): string {
  if (kind === "address") return `"${bytesToHex(value as Uint8Array)}"`;
  if (kind === "text" || kind === "decimal") return JSON.stringify(String(value));
  return String(value);
}

/**
 * Reads the JSON text of a governance header.
 * @throws ParamsError for text that is not a JSON object, an unknown name or a bad value
 */
export function parseGovernanceJson(text: string): Partial<ParamSet> {
  const members: unknown = parseObject(text);
  const params: Record<string, ParameterValue> = {};
  for (const [name, json] of Object.entries(members as Record<string, unknown>)) {
    const parameter = parameterNamed(name);
    if (parameter === undefined) throw new ParamsError("PARAMETER_VALUE", "invalid gov data", { name });
    params[parameter.field] = parameterFromJson(parameter, json);
  }
  return params as Partial<ParamSet>;
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ParamsError("PARAMETER_VALUE", "invalid json", {}, { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ParamsError("PARAMETER_VALUE", "invalid json");
  }
  return value;
}

/**
 * The value of a parameter from JSON, as configuration files, governance headers and RPC calls write it.
 * @throws ParamsError with the reference's text when the type does not fit or the value is not acceptable
 */
export function parameterFromJson(parameter: Parameter, json: unknown): ParameterValue {
  const value = canonical(parameter.kind, json);
  if (!parameter.accepts(value))
    throw new ParamsError("PARAMETER_VALUE", "invalid param value", { name: parameter.name });
  return value;
}

function canonical(kind: Parameter["kind"], json: unknown): ParameterValue {
  switch (kind) {
    case "uint64":
      return uint64(json);
    case "index":
      return Number(uint64(json));
    case "decimal":
      if (typeof json === "string" && /^[+-]?\d+$/.test(json)) return BigInt(json);
      throw refused(
        typeof json === "string"
          ? "could not canonicalize string to big.Int"
          : "could not canonicalize value to big.Int",
      );
    case "flag":
      if (typeof json === "boolean") return json;
      throw refused("could not canonicalize value to bool");
    case "text":
      if (typeof json === "string") return json;
      throw refused("could not canonicalize value to string");
    case "address":
      return address(json);
  }
}

function uint64(json: unknown): bigint {
  if (typeof json === "bigint" && json >= 0n && json <= MAX_UINT64) return json;
  if (typeof json !== "number") throw refused("could not canonicalize value to uint64");
  if (!Number.isInteger(json) || json < 0 || BigInt(json) > MAX_UINT64) {
    throw refused("could not canonicalize float64 to uint64");
  }
  return BigInt(json);
}

function address(json: unknown): Uint8Array {
  if (typeof json !== "string") throw refused("could not canonicalize value to address");
  if (!/^(0[xX])?[0-9a-fA-F]{40}$/.test(json)) throw refused("could not canonicalize string to address");
  return hexToBytes(`0x${json.slice(-40)}`);
}

function refused(text: string): ParamsError {
  return new ParamsError("PARAMETER_VALUE", text);
}
