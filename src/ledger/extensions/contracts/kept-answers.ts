import type { Account } from "../../../protocol/account/account.ts";
import type { Rules } from "../../../protocol/params/forks.ts";
import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { LruMap } from "../../../protocol/primitives/lru.ts";
import type { Tracer } from "../../evm/evm.ts";
import type { StateReader } from "../../state/state.ts";

/** Answers kept; those of the protocol's own questions are about ten. */
const ANSWERS = 64;
/** Longest call whose answer is kept, bytes. */
const MAX_INPUT = 1_024;
/** Most accounts that an answer may be made of, if it is kept. */
const MAX_ACCOUNTS = 64;

/** Opcodes that show something of the block: BLOCKHASH, COINBASE … GASLIMIT, BASEFEE, BLOBBASEFEE. */
const BLOCK_OPCODES: ReadonlySet<number> = new Set([0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x48, 0x4a]);

/** A call that queries a contract. */
export interface Question {
  readonly rules: Rules;
  readonly to: Address;
  readonly input: Uint8Array;
}

interface KeptAnswer {
  readonly rules: Rules;
  /** All accounts that were read, as they were; their storage is identified by its root. */
  readonly accounts: ReadonlyMap<string, ReadAccount>;
  readonly output: Uint8Array | undefined;
}

interface ReadAccount {
  readonly address: Address;
  readonly account: Account | undefined;
}

/**
 * Answers of contracts, valid while every account that they were computed from is unchanged. Calls that look at the block are made
 * each time. A validator set is made of such answers at every block, and they change with few of them.
 */
export class KeptAnswers {
  readonly #kept = new LruMap<string, KeptAnswer>(ANSWERS);

  /**
   * The output of a call, undefined for one that fails.
   * @param run - makes the call over a state, under a tracer that must see its opcodes
   */
  answer(
    question: Question,
    state: StateReader,
    run: (state: StateReader, tracer?: Tracer) => Uint8Array | undefined,
  ): Uint8Array | undefined {
    const { rules, to, input } = question;
    if (input.length > MAX_INPUT) return run(state);
    const key = bytesToHex(to) + bytesToHex(input);
    const kept = this.#kept.get(key);
    if (kept?.rules === rules && isUnchanged(kept, state)) return kept.output;
    const accounts = new Map<string, ReadAccount>();
    let looksAtBlock = false;
    const tracer: Tracer = {
      opcode(op) {
        looksAtBlock ||= BLOCK_OPCODES.has(op);
      },
    };
    const output = run(recording(state, accounts), tracer);
    if (looksAtBlock || accounts.size > MAX_ACCOUNTS) this.#kept.delete(key);
    else this.#kept.set(key, { rules, accounts, output });
    return output;
  }
}

function recording(state: StateReader, accounts: Map<string, ReadAccount>): StateReader {
  const account = (address: Address): Account | undefined => {
    const found = state.account(address);
    accounts.set(bytesToHex(address), { address: address.slice(), account: found });
    return found;
  };
  return {
    account,
    storage(address, slot) {
      account(address);
      return state.storage(address, slot);
    },
    code: (hash) => state.code(hash),
  };
}

function isUnchanged({ accounts }: KeptAnswer, state: StateReader): boolean {
  for (const { address, account } of accounts.values()) {
    if (!isSame(account, state.account(address))) return false;
  }
  return true;
}

/** Whether nothing that a contract can see of an account has changed. */
function isSame(a: Account | undefined, b: Account | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return (
    a.type === b.type &&
    a.nonce === b.nonce &&
    a.balance === b.balance &&
    equalBytes(a.codeHash, b.codeHash) &&
    equalBytes(a.storageRoot, b.storageRoot) &&
    a.key === b.key
  );
}
