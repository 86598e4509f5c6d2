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
 * Address of a system contract that is active in a block according to the registry; the zero address if there is none.
 * If the registry has the protocol's code, this is the newest active one of all its records, whose call can be cached, unlike
 * the equivalent `getActiveAddr`, which reads the block number. With any other code, `getActiveAddr` is called.
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
