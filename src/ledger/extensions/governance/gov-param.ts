import type { ParamSet } from "../../../protocol/params/config.ts";
import { isZeroBytes } from "../../../protocol/primitives/bytes.ts";
import type { Ancestry } from "../../chain/execute/consensus-rules.ts";
import { AbiOutput, callInput, uintWord } from "../contracts/abi.ts";
import type { ContractReader } from "../contracts/contract-reader.ts";
import type { ParamOverlay } from "./governance-history.ts";
import { parameterValue } from "./vote.ts";

/** Dependencies for reading the GovParam contract. */
export interface GovParamParts {
  readonly ancestry: Ancestry;
  readonly contracts: ContractReader;
}

/**
 * Parameters set by the GovParam contract for a block, read from the state after its parent. Failed calls and invalid
 * values are ignored.
 */
export function govParamOverlay({ ancestry, contracts }: GovParamParts): ParamOverlay {
  return (number, { govParamContract }) => {
    if (isZeroBytes(govParamContract) || number === 0n) return {};
    const [header, state] = [ancestry.header(number - 1n), ancestry.stateAt(number - 1n)];
    if (header === undefined || state === undefined) return {};
    const input = callInput("getAllParamsAt(uint256)", uintWord(number));
    const output = contracts.call(state, header, govParamContract, input);
    return output === undefined ? {} : parseParams(output);
  };
}

function parseParams(bytes: Uint8Array): Partial<ParamSet> {
  const params: Record<string, unknown> = {};
  for (const [name, value] of readPairs(bytes)) {
    const parsed = parameterValue(name, value);
    if (parsed !== undefined) params[parsed.parameter.field] = parsed.value;
  }
  return params as Partial<ParamSet>;
}

function readPairs(bytes: Uint8Array): [string, Uint8Array][] {
  try {
    const output = new AbiOutput(bytes);
    const names = output.array(0, (elements, i) => new TextDecoder().decode(elements.bytes(i)));
    const values = output.array(1, (elements, i) => elements.bytes(i));
    return names.length === values.length ? names.map((name, i) => [name, values[i] as Uint8Array]) : [];
  } catch {
    return [];
  }
}
