import { type Address, leftPad } from "../../protocol/primitives/bytes.ts";
import { listContractCode, listStorage } from "./list-contract.ts";

/** A validator in the address book. */
export interface BookEntry {
  readonly validator: Address;
  /** Account whose balance is the validator's stake. */
  readonly staking: Address;
  /** Receives the validator's rewards. */
  readonly reward: Address;
}

/**
 * The address book: `getAllAddress()` returns types and addresses to the protocol, three for each validator and the two funds last;
 * `register(address,address,address)` and `unregister(address)` are for its owner.
 */
export const ADDRESS_BOOK_CODE: Uint8Array = listContractCode({
  words: 2,
  register: {
    signature: "register(address,address,address)",
    // validator count slot
    program: "36 CALLDATALOAD DUP2 1 ADD SSTORE 68 CALLDATALOAD DUP2 2 ADD SSTORE",
  },
  readAll: {
    signature: "getAllAddress()",
    // length of the lists, where the addresses begin, index
    program: `
      POP 1 SLOAD 3 MUL 2 ADD
      64 0 MSTORE
      DUP1 32 MUL 96 ADD
      DUP1 32 MSTORE
      DUP2 64 MSTORE
      DUP2 DUP2 MSTORE
      32 ADD 0
      :next 2 DUP4 SUB DUP2 LT ISZERO @funds JUMPI
        3 DUP2 DIV 1 ADD 16 MUL
        DUP1 SLOAD DUP3 32 MUL DUP5 ADD MSTORE
        DUP1 1 ADD SLOAD DUP3 1 ADD 32 MUL DUP5 ADD MSTORE
        1 DUP3 1 ADD 32 MUL 96 ADD MSTORE
        DUP1 2 ADD SLOAD DUP3 2 ADD 32 MUL DUP5 ADD MSTORE
        2 DUP3 2 ADD 32 MUL 96 ADD MSTORE
        POP 3 ADD @next JUMP
      :funds
        3 DUP2 32 MUL 96 ADD MSTORE
        4 DUP2 1 ADD 32 MUL 96 ADD MSTORE
        2 SLOAD DUP2 32 MUL DUP4 ADD MSTORE
        3 SLOAD DUP2 1 ADD 32 MUL DUP4 ADD MSTORE
        POP SWAP1 32 MUL ADD 0 RETURN`,
  },
});

/** Its storage with initial entries, in the format of a genesis file. */
export function addressBookStorage(
  owner: Address,
  entries: readonly BookEntry[],
  funds: { readonly infrastructure: Address; readonly ecosystem: Address },
): Record<string, string> {
  const records = entries.map(({ validator, staking, reward }) => ({
    validator,
    words: [leftPad(staking, 32), leftPad(reward, 32)],
  }));
  return listStorage(owner, records, [leftPad(funds.infrastructure, 32), leftPad(funds.ecosystem, 32)]);
}
