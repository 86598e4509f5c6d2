import type { Header } from "../../../protocol/block/header.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { StateReader } from "../../state/state.ts";
import { AbiOutput, callInput, stringWords } from "./abi.ts";
import { REGISTRY } from "./addresses.ts";
import type { ContractReader } from "./contract-reader.ts";

/** An address of a system contract, and the block from which on it is active. */
export interface RegistryRecord {
  readonly address: Address;
  readonly activation: bigint;
}

/** All records of a name in the registry, oldest first; none for an unknown name. @see KIP-149 */
export function registryRecords(
  contracts: ContractReader,
  state: StateReader,
  header: Header,
  name: string,
): readonly RegistryRecord[] {
  const output = contracts.call(
    state,
    header,
    REGISTRY,
    callInput("getAllRecords(string)", stringWords(name)),
  );
  if (output === undefined || output.length < 64) return [];
  return new AbiOutput(output).array(0, (elements, i) => ({
    address: elements.address(2 * i),
    activation: elements.uint(2 * i + 1),
  }));
}
