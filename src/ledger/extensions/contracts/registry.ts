import type { Header } from "../../../protocol/block/header.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { type Address, equalBytes, type Hash, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import type { StateReader } from "../../state/state.ts";
import { REGISTRY_CODE } from "../randao/registry-code.ts";
import { AbiOutput, callInput, stringWords } from "./abi.ts";
import { REGISTRY } from "./addresses.ts";
import type { ContractReader } from "./contract-reader.ts";
import { registryRecords } from "./registry-records.ts";

let registryCodeHash: Hash | undefined;

/**
 * Address under which the registry knows a system contract in a block; the zero address when it knows none. With the protocol's own
 * code the registry is asked for all records of the name, an answer that can be kept, and the newest that is active by then counts:
 * what its `getActiveAddr` says, which looks at the block's number. Any other code is asked itself.
 * @see KIP-149
 */
export function activeAddress(
  contracts: ContractReader,
  state: StateReader,
  header: Header,
  name: string,
): Address {
  registryCodeHash ??= keccak256(REGISTRY_CODE);
  const account = state.account(REGISTRY);
  if (account !== undefined && equalBytes(account.codeHash, registryCodeHash)) {
    const records = registryRecords(contracts, state, header, name);
    return records.findLast(({ activation }) => activation <= header.number)?.address ?? ZERO_ADDRESS;
  }
  const input = callInput("getActiveAddr(string)", stringWords(name));
  const output = contracts.call(state, header, REGISTRY, input);
  return output === undefined || output.length < 32 ? ZERO_ADDRESS : new AbiOutput(output).address(0);
}
