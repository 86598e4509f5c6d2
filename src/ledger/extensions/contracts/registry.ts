import type { Header } from "../../../protocol/block/header.ts";
import { type Address, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import type { StateReader } from "../../state/state.ts";
import { AbiOutput, callInput, stringWords } from "./abi.ts";
import { REGISTRY } from "./addresses.ts";
import type { ContractReader } from "./contract-reader.ts";

/** Address under which the registry knows a system contract in a block; the zero address when it knows none. */
export function activeAddress(
  contracts: ContractReader,
  state: StateReader,
  header: Header,
  name: string,
): Address {
  const input = callInput("getActiveAddr(string)", stringWords(name));
  const output = contracts.call(state, header, REGISTRY, input);
  return output === undefined || output.length < 32 ? ZERO_ADDRESS : new AbiOutput(output).address(0);
}
