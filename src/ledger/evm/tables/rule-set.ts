import type { OpcodeTable } from "./opcodes.ts";

/** Gas and refunds of SSTORE. @see EIP-2200, EIP-2929, EIP-3529 */
export interface StorageRules {
  /** Whether the value at the start of the transaction matters (EIP-2200). */
  readonly netMetered: boolean;
  /** An SSTORE fails with this much gas left or less; -1: never. */
  readonly sentry: number;
  /** Gas of an SSTORE that changes nothing, or a slot already changed. */
  readonly touch: number;
  /** Gas of zero to non-zero. */
  readonly set: number;
  /** Gas of any other change of an unchanged slot. */
  readonly reset: number;
  /** Refund for clearing a slot. */
  readonly clearRefund: number;
}

/** Behaviour of calls. */
export interface CallRules {
  /** Whether a caller keeps 1/64 of its gas; otherwise a call that requests more than is left fails (EIP-150). */
  readonly keepsSixtyFourth: boolean;
  /** Which callee of CALL costs `NEW_ACCOUNT_GAS`: an empty one that gets value, or an absent one (EIP-158). */
  readonly newAccount: "emptyWithValue" | "absent";
  /** Whether a CALL without value, too, makes an absent callee's account. */
  readonly createsCallee: boolean;
}

/** Behaviour of creations. */
export interface CreateRules {
  readonly startNonce: bigint;
  /** When the deposit cannot be paid: a failure, or a contract without code (before EIP-2). */
  readonly unpaidCode: "failure" | "empty";
  readonly initCodeWordGas: number;
  readonly maxInitCode: number;
  readonly maxCode: number;
  /** What blocks the new address: any account, or one with a nonce, code or storage. */
  readonly collision: "account" | "used";
  /** Code starting with 0xEF: allowed; an error that leaves code and gas in place; a failure (EIP-3541). */
  readonly efCode: "allowed" | "late" | "failure";
  readonly codeInfo: number;
}

/** Behaviour of SELFDESTRUCT. */
export interface SelfdestructRules {
  /** Gas beside the static gas. */
  readonly gas: number;
  /** Gas of a beneficiary that is not in the access list. */
  readonly cold: number;
  /** Which beneficiary costs `NEW_ACCOUNT_GAS`. */
  readonly newAccount: "emptyWithBalance" | "absent" | "never";
  readonly refund: number;
  /** Whether only contracts of the same transaction are deleted (EIP-6780). */
  readonly onlyCreated: boolean;
}

/** Everything in which one fork's virtual machine differs from another's, as data. */
export interface RuleSet {
  readonly name: string;
  readonly opcodes: OpcodeTable;
  readonly expByteGas: number;
  /** Gas of the first access to a slot; 0 = SLOAD has static gas only. */
  readonly coldSlot: number;
  /** Gas of any further access, when `coldSlot` is not 0. */
  readonly warmSlot: number;
  /** Gas of the first access to an account above the static gas of BALANCE, EXTCODE* and calls; 0 = no access list. */
  readonly coldAccount: number;
  /** Whether EXTCODEHASH, too, pays for cold accounts. */
  readonly coldExtCodeHash: boolean;
  /** EXTCODEHASH of an empty account: zero, or the hash of the empty string. */
  readonly extCodeHashOfEmpty: "zero" | "emptyHash";
  readonly storage: StorageRules;
  readonly call: CallRules;
  readonly create: CreateRules;
  readonly selfdestruct: SelfdestructRules;
  /** Whether calls follow an EIP-7702 delegation of their target. */
  readonly delegations: boolean;
  /** Addresses 1 to this one can neither receive value nor be called unless a precompile lies there. */
  readonly lastReserved: number;
}

/** Gas constants that no fork changes. */
export const CALL_VALUE_GAS = 9000;
export const CALL_STIPEND = 2300;
export const NEW_ACCOUNT_GAS = 25000;
export const CODE_DEPOSIT_GAS = 200;
export const HASH_WORD_GAS = 6;
export const DELEGATION_COLD_GAS = 2600;
export const DELEGATION_WARM_GAS = 100;
/** Deepest call: a message at this depth still runs. */
export const MAX_DEPTH = 1024;
