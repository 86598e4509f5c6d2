import { type Address, concat } from "../../protocol/primitives/bytes.ts";
import { listContractCode, listStorage, wordsOf } from "./list-contract.ts";

/** A validator's BLS key. */
export interface BlsRecord {
  readonly validator: Address;
  /** 48 bytes. */
  readonly publicKey: Uint8Array;
  /** Proof of possession, 96 bytes. */
  readonly possession: Uint8Array;
}

/** Bytes that `getAllBlsInfo` returns for a record: two offsets, a key and a proof, each with its length. */
const ENTRY_BYTES = 9 * 32;

/**
 * The registry of the validators' BLS keys: `getAllBlsInfo()` for the protocol, `register(address,bytes,bytes)` and
 * `unregister(address)` for its owner.
 * @see KIP-113
 */
export const BLS_REGISTRY_CODE: Uint8Array = listContractCode({
  words: 5,
  register: {
    signature: "register(address,bytes,bytes)",
    // validator count slot
    program: `
      36 CALLDATALOAD 4 ADD
      DUP1 CALLDATALOAD 48 EQ ISZERO @fail JUMPI
      DUP1 32 ADD CALLDATALOAD DUP3 1 ADD SSTORE
      DUP1 64 ADD CALLDATALOAD 128 SHR 128 SHL DUP3 2 ADD SSTORE
      POP 68 CALLDATALOAD 4 ADD
      DUP1 CALLDATALOAD 96 EQ ISZERO @fail JUMPI
      DUP1 32 ADD CALLDATALOAD DUP3 3 ADD SSTORE
      DUP1 64 ADD CALLDATALOAD DUP3 4 ADD SSTORE
      DUP1 96 ADD CALLDATALOAD DUP3 5 ADD SSTORE`,
  },
  readAll: {
    signature: "getAllBlsInfo()",
    // count, offset of the second list, index
    program: `
      POP 1 SLOAD
      64 0 MSTORE
      DUP1 32 MUL 96 ADD
      DUP1 32 MSTORE
      DUP2 64 MSTORE
      DUP2 DUP2 MSTORE
      0
      :next DUP3 DUP2 LT ISZERO @done JUMPI
        DUP1 1 ADD 16 MUL
        DUP1 SLOAD DUP3 32 MUL 96 ADD MSTORE
        DUP4 32 MUL DUP3 ${ENTRY_BYTES} MUL ADD
        DUP1 DUP5 DUP5 32 MUL ADD 32 ADD MSTORE
        DUP4 ADD 32 ADD
        64 DUP2 MSTORE
        160 DUP2 32 ADD MSTORE
        48 DUP2 64 ADD MSTORE
        DUP2 1 ADD SLOAD DUP2 96 ADD MSTORE
        DUP2 2 ADD SLOAD DUP2 128 ADD MSTORE
        96 DUP2 160 ADD MSTORE
        DUP2 3 ADD SLOAD DUP2 192 ADD MSTORE
        DUP2 4 ADD SLOAD DUP2 224 ADD MSTORE
        DUP2 5 ADD SLOAD DUP2 256 ADD MSTORE
        POP POP 1 ADD @next JUMP
      :done POP SWAP1 ${ENTRY_BYTES + 32} MUL ADD 32 ADD 0 RETURN`,
  },
});

/** Its storage with initial keys, in the format of a genesis file. */
export function blsRegistryStorage(owner: Address, records: readonly BlsRecord[]): Record<string, string> {
  return listStorage(
    owner,
    records.map(({ validator, publicKey, possession }) => ({
      validator,
      words: wordsOf(concat(publicKey, new Uint8Array(16), possession)),
    })),
  );
}
