import { selectorOf } from "../../protocol/crypto/selector.ts";
import { type Address, bigintToFixedBytes, concat, leftPad } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { assemble } from "./assembler.ts";

/** Storage slots per record. */
const STRIDE = 16;

/** A contract with one record per validator, managed by its owner. */
export interface ListContract {
  /** Words of a record after the validator's address. */
  readonly words: number;
  /** Signature and program of the function that returns all records; their count is in slot 1. */
  readonly readAll: { readonly signature: string; readonly program: string };
  /** Signature and program of the function that adds or replaces a record: with its first slot on the stack, the program stores the rest. */
  readonly register: { readonly signature: string; readonly program: string };
}

/**
 * Code of such a contract. Storage: slot 0 the owner, 1 the number of records, from 2 on free for the contract; record i starts at
 * 16 (i + 1) with the validator's address. In addition to the declared functions it has `unregister(address)` and `owner()`.
 */
export function listContractCode({ words, readAll, register }: ListContract): Uint8Array {
  const move = Array.from(
    { length: words + 1 },
    // moves the last record, whose slot is on the stack below that of the removed one
    (_, i) => `DUP1 ${i} ADD SLOAD DUP3 ${i} ADD SSTORE 0 DUP2 ${i} ADD SSTORE`,
  ).join("\n");
  return assemble(`
    0 CALLDATALOAD 0xe0 SHR
    DUP1 ${bytesToHex(selectorOf(readAll.signature))} EQ @all JUMPI
    DUP1 ${bytesToHex(selectorOf(register.signature))} EQ @register JUMPI
    DUP1 ${bytesToHex(selectorOf("unregister(address)"))} EQ @unregister JUMPI
    DUP1 ${bytesToHex(selectorOf("owner()"))} EQ @owner JUMPI
    :fail 0 0 REVERT
    :owner 0 SLOAD 0 MSTORE 32 0 RETURN
    :all ${readAll.program}
    :register POP ${onlyOwner} ${find("register")}
      1 ADD ${STRIDE} MUL DUP3 DUP2 SSTORE ${register.program} STOP
    :register-none
      DUP2 1 ADD 1 SSTORE @register-found JUMP
    :unregister POP ${onlyOwner} ${find("unregister")}
      1 ADD ${STRIDE} MUL DUP2 ${STRIDE} MUL
      ${move}
      POP POP 1 SWAP1 SUB 1 SSTORE STOP
    :unregister-none 0 0 REVERT
  `);
}

const onlyOwner = "CALLER 0 SLOAD EQ ISZERO @fail JUMPI";

/** Leaves the validator argument, the count and the index of its record on the stack; jumps to `-none` with the count as index if missing. */
function find(name: string): string {
  return `
    4 CALLDATALOAD 1 SLOAD 0
    :${name}-scan DUP2 DUP2 LT ISZERO @${name}-none JUMPI
      DUP1 1 ADD ${STRIDE} MUL SLOAD DUP4 EQ @${name}-found JUMPI
      1 ADD @${name}-scan JUMP
    :${name}-found`;
}

/** Storage of such a contract in the format of a genesis file. @param records - words after each validator's address */
export function listStorage(
  owner: Address,
  records: readonly { readonly validator: Address; readonly words: readonly Uint8Array[] }[],
  extra: readonly Uint8Array[] = [],
): Record<string, string> {
  const first = [leftPad(owner, 32), bigintToFixedBytes(BigInt(records.length), 32), ...extra];
  const slots = first.map((value, slot): [number, Uint8Array] => [slot, value]);
  for (const [i, { validator, words }] of records.entries()) {
    const values = [leftPad(validator, 32), ...words];
    slots.push(...values.map((value, k): [number, Uint8Array] => [STRIDE * (i + 1) + k, value]));
  }
  return Object.fromEntries(
    slots.map(([slot, value]) => [bytesToHex(bigintToFixedBytes(BigInt(slot), 32)), bytesToHex(value)]),
  );
}

/** Splits bytes into words of 32, the last one zero-padded. */
export function wordsOf(bytes: Uint8Array): Uint8Array[] {
  const padded = concat(bytes, new Uint8Array((32 - (bytes.length % 32)) % 32));
  return Array.from({ length: padded.length / 32 }, (_, i) => padded.subarray(32 * i, 32 * i + 32));
}
