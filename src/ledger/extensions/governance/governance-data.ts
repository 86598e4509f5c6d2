import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import type { ParamSet } from "../../../protocol/params/config.ts";
import { governanceJson, parseGovernanceJson } from "../../../protocol/params/parameter-json.ts";
import { PARAMETERS } from "../../../protocol/params/parameters.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { ExtensionError } from "../errors.ts";

/** Encodes parameters for the `governance` field of an epoch block: `rlp(JSON text)`. */
export function encodeGovernanceData(params: Partial<ParamSet>): Uint8Array {
  const present = PARAMETERS.filter(({ field }) => params[field] !== undefined);
  return encodeItem(new TextEncoder().encode(governanceJson(params, present)));
}

/**
 * Decodes the `governance` field of a header.
 * @throws ExtensionError `GOVERNANCE_DATA`: `invalid rlp`, `invalid json` or `invalid gov data`
 */
export function decodeGovernanceData(bytes: Uint8Array): Partial<ParamSet> {
  const text = readText(bytes);
  try {
    return parseGovernanceJson(text);
  } catch (cause) {
    const reason = (cause as Error).message === "invalid json" ? "invalid json" : "invalid gov data";
    throw new ExtensionError("GOVERNANCE_DATA", reason, { field: "governance" }, { cause });
  }
}

function readText(bytes: Uint8Array): string {
  try {
    const reader = new RlpReader(bytes);
    const text = new TextDecoder().decode(reader.bytes());
    reader.finish();
    return text;
  } catch (cause) {
    throw new ExtensionError("GOVERNANCE_DATA", "invalid rlp", { field: "governance" }, { cause });
  }
}

/** Whether two sets have the same parameters with the same values. */
export function equalParams(a: Partial<ParamSet>, b: Partial<ParamSet>): boolean {
  return PARAMETERS.every(({ field }) => {
    const [left, right] = [a[field], b[field]];
    if (left instanceof Uint8Array && right instanceof Uint8Array) return equalBytes(left, right);
    return left === right;
  });
}
