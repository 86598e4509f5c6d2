import type { OpcodeTable } from "./opcodes.ts";

/** Gas and refunds of SSTORE. @see EIP-2200, EIP-2929, EIP-3529 */
export interface StorageRules {
  /** Whether gas depends on the original value, at the start of the transaction (EIP-2200). */
  readonly netMetered: boolean;
  /** An SSTORE fails with at most this much gas left; -1 = never. */
  readonly sentry: number;
  /** Gas of a no-op, or of changing a dirty slot. */
  readonly touch: number;
  /** Gas of changing a clean slot from zero to non-zero. */
  readonly set: number;
  /** Gas of any other change of a clean slot. */
  readonly reset: number;
  /** Refund for clearing a slot. */
  readonly clearRefund: number;
}

/** Behaviour of calls. */
export interface CallRules {
  /** Whether a caller retains 1/64 of its gas; otherwise a call that requests more gas than is left fails (EIP-150). */
  readonly allButOne64th: boolean;
  /** Callees of CALL that cost `NEW_ACCOUNT_GAS`: empty ones that receive value, or absent ones (EIP-158). */
  readonly newAccount: "emptyWithValue" | "absent";
  /** Whether even a CALL without value creates the account of an absent callee. */
  readonly createsCallee: boolean;
}

/** Behaviour of creations. */
export interface CreateRules {
  readonly startNonce: bigint;
  /** If the code deposit cannot be paid: a failure, or a contract without code (before EIP-2). */
  readonly unpaidCode: "failure" | "empty";
  readonly initCodeWordGas: number;
  readonly maxInitCode: number;
  readonly maxCode: number;
  /** What counts as a collision at the new address: any account, or one with a nonce, code or storage. */
  readonly collision: "account" | "used";
  /** Code starting with 0xEF: allowed; an error that keeps code and gas; a failure (EIP-3541). */
  readonly efCode: "allowed" | "late" | "failure";
  readonly codeInfo: number;
}

/** Behaviour of SELFDESTRUCT. */
export interface SelfdestructRules {
  /** Gas in addition to the static gas. */
  readonly gas: number;
  /** Gas of a cold beneficiary. */
  readonly cold: number;
  /** Beneficiaries that cost `NEW_ACCOUNT_GAS`. */
  readonly newAccount: "emptyWithBalance" | "absent" | "never";
  readonly refund: number;
  /** Whether only contracts created in the same transaction are deleted (EIP-6780). */
  readonly onlyCreated: boolean;
}

/** All differences between the EVMs of forks, as data. */
export interface RuleSet {
  readonly name: string;
  readonly opcodes: OpcodeTable;
  readonly expByteGas: number;
  /** Gas of accessing a cold slot; 0 = SLOAD has static gas only. */
  readonly coldSlot: number;
  /** Gas of accessing a warm slot, if `coldSlot` is not 0. */
  readonly warmSlot: number;
  /** Gas of accessing a cold account, in addition to the static gas of BALANCE, EXTCODE* and calls; 0 = no access list. */
  readonly coldAccount: number;
  /** Whether EXTCODEHASH also pays for cold accounts. */
  readonly coldExtCodeHash: boolean;
  /** EXTCODEHASH of an empty account: zero, or the hash of the empty string. */
  readonly extCodeHashOfEmpty: "zero" | "emptyHash";
  readonly storage: StorageRules;
  readonly call: CallRules;
  readonly create: CreateRules;
  readonly selfdestruct: SelfdestructRules;
  /** Whether calls follow an EIP-7702 delegation of their target. */
  readonly delegations: boolean;
  /** Addresses from 1 to this one can neither receive value nor be called unless they are precompiles. */
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
/** Maximum call depth: a frame at this depth still runs. */
export const MAX_DEPTH = 1024;
