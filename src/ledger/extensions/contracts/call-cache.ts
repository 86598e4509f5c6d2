import type { Account } from "../../../protocol/account/account.ts";
import type { Rules } from "../../../protocol/params/forks.ts";
import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { LruMap } from "../../../protocol/primitives/lru.ts";
import type { Tracer } from "../../evm/evm.ts";
import type { StateReader } from "../../state/state.ts";

/** Maximum number of cached calls; the protocol itself makes about ten. */
const MAX_CALLS = 64;
/** Maximum input of a cached call, bytes. */
const MAX_INPUT = 1_024;
/** Maximum number of accounts read by a cached call. */
const MAX_ACCOUNTS = 64;

/** Opcodes that read the block context: BLOCKHASH, COINBASE … GASLIMIT, BASEFEE, BLOBBASEFEE. */
const BLOCK_OPCODES: ReadonlySet<number> = new Set([0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x48, 0x4a]);

/** A read-only call of a contract. */
export interface ReadOnlyCall {
  readonly rules: Rules;
  readonly to: Address;
  readonly input: Uint8Array;
}

interface CachedCall {
  readonly rules: Rules;
  /** All accounts read, as they were; their storage is identified by its root. */
  readonly accounts: ReadonlyMap<string, ReadAccount>;
  readonly output: Uint8Array | undefined;
}

interface ReadAccount {
  readonly address: Address;
  readonly account: Account | undefined;
}

/**
 * Caches outputs of contract calls, which are valid while all accounts they depend on are unchanged. Calls that read the
 * block context are not cached. Every block's validator set is computed from such outputs, which seldom change.
 */
export class CallCache {
  readonly #calls = new LruMap<string, CachedCall>(MAX_CALLS);

  /**
   * The output of a call; undefined if it fails.
   * @param run - executes the call on a state; the tracer must see its opcodes
   */
  output(
    call: ReadOnlyCall,
    state: StateReader,
    run: (state: StateReader, tracer?: Tracer) => Uint8Array | undefined,
  ): Uint8Array | undefined {
    const { rules, to, input } = call;
    if (input.length > MAX_INPUT) return run(state);
    const key = bytesToHex(to) + bytesToHex(input);
    const cached = this.#calls.get(key);
    if (cached?.rules === rules && isUnchanged(cached, state)) return cached.output;
    const accounts = new Map<string, ReadAccount>();
    let readsBlock = false;
    const tracer: Tracer = {
      opcode(op) {
        readsBlock ||= BLOCK_OPCODES.has(op);
      },
    };
    const output = run(recording(state, accounts), tracer);
    if (readsBlock || accounts.size > MAX_ACCOUNTS) this.#calls.delete(key);
    else this.#calls.set(key, { rules, accounts, output });
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

function isUnchanged({ accounts }: CachedCall, state: StateReader): boolean {
  for (const { address, account } of accounts.values()) {
    if (!isSame(account, state.account(address))) return false;
  }
  return true;
}

/** Whether an account is unchanged as far as contracts can see. */
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
