import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { type Address, bigintToFixedBytes, concat, leftPad } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { assemble } from "./assembler.ts";

/** Slots between the records of a list. */
const STRIDE = 16;

/** A contract that keeps one record per validator, which its owner adds, replaces and removes. */
export interface ListContract {
  /** Words of a record behind the validator's address. */
  readonly words: number;
  /** Signature of the function that returns all records, and its program: the count is in slot 1. */
  readonly readAll: { readonly signature: string; readonly program: string };
  /** Signature of the function that adds or replaces; its program finds the record's first slot on the stack, and stores the rest. */
  readonly register: { readonly signature: string; readonly program: string };
}

/**
 * Code of such a contract. Storage: slot 0 the owner, 1 the number of records, 2 and up what the contract likes; record i
 * begins at 16 (i + 1) with the validator's address. Besides what it declares it has `unregister(address)` and `owner()`.
 */
export function listContractCode({ words, readAll, register }: ListContract): Uint8Array {
  const move = Array.from(
    { length: words + 1 },
    // from the last record, whose slot is on the stack below the one that is emptied
    (_, i) => `DUP1 ${i} ADD SLOAD DUP3 ${i} ADD SSTORE 0 DUP2 ${i} ADD SSTORE`,
  ).join("\n");
  return assemble(`
    0 CALLDATALOAD 0xe0 SHR
    DUP1 ${selector(readAll.signature)} EQ @all JUMPI
    DUP1 ${selector(register.signature)} EQ @register JUMPI
    DUP1 ${selector("unregister(address)")} EQ @unregister JUMPI
    DUP1 ${selector("owner()")} EQ @owner JUMPI
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

/** Leaves the validator of the call, the count and the index of its record; goes to `-none` with the count as index where there is none. */
function find(name: string): string {
  return `
    4 CALLDATALOAD 1 SLOAD 0
    :${name}-scan DUP2 DUP2 LT ISZERO @${name}-none JUMPI
      DUP1 1 ADD ${STRIDE} MUL SLOAD DUP4 EQ @${name}-found JUMPI
      1 ADD @${name}-scan JUMP
    :${name}-found`;
}

function selector(signature: string): string {
  return bytesToHex(keccak256(new TextEncoder().encode(signature)).subarray(0, 4));
}

/** Storage of such a contract in the form of a genesis file. @param records - words behind the address of each validator */
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

/** Bytes in words of 32, the last one filled with zeros. */
export function wordsOf(bytes: Uint8Array): Uint8Array[] {
  const padded = concat(bytes, new Uint8Array((32 - (bytes.length % 32)) % 32));
  return Array.from({ length: padded.length / 32 }, (_, i) => padded.subarray(32 * i, 32 * i + 32));
}
