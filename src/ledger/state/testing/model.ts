import {
  type Account,
  EMPTY_CODE_HASH,
  EMPTY_ROOT,
  newContract,
  newEoa,
} from "../../../protocol/account/account.ts";
import { encodeAccount } from "../../../protocol/account/account-codec.ts";
import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { AccountChange, StateChanges } from "../state.ts";
import { rootOfEntries } from "./root-of-entries.ts";

interface ModelAccount {
  readonly account: Account;
  readonly storage: ReadonlyMap<string, Uint8Array>;
}

/** Reference model of a state store: plain maps by hex, with the root computed from its definition. */
export class ModelState {
  readonly accounts: ReadonlyMap<string, ModelAccount>;

  constructor(accounts: ReadonlyMap<string, ModelAccount> = new Map()) {
    this.accounts = accounts;
  }

  /** The state after changes; this one stays as it is. */
  with({ accounts }: Pick<StateChanges, "accounts">): ModelState {
    const next = new Map(this.accounts);
    for (const change of accounts) {
      const name = bytesToHex(change.address);
      if (!change.account) next.delete(name);
      else {
        const storage = new Map(change.storageCleared ? [] : next.get(name)?.storage);
        for (const { slot, value } of change.storage) {
          if (value.length === 0) storage.delete(bytesToHex(slot));
          else storage.set(bytesToHex(slot), value);
        }
        next.set(name, { account: { ...change.account, storageRoot: storageRoot(storage) }, storage });
      }
    }
    return new ModelState(next);
  }

  root(): Hash {
    return rootOfEntries(
      [...this.accounts].map(
        ([address, { account }]) => [keccak256(hexToBytes(address)), encodeAccount(account)] as const,
      ),
    );
  }
}

function storageRoot(storage: ReadonlyMap<string, Uint8Array>): Hash {
  const entries = [...storage].map(
    ([slot, value]) => [keccak256(hexToBytes(slot)), encodeItem(value)] as const,
  );
  return rootOfEntries(entries);
}

export const addressOf = (index: number): Address =>
  keccak256(Uint8Array.of(index >> 8, index & 255)).slice(12);

export function slotOf(index: number): Hash {
  const slot = new Uint8Array(32);
  slot[30] = index >> 8;
  slot[31] = index;
  return slot;
}

export const hashOf = (number: bigint | number, branch = 0): Hash =>
  keccak256(Uint8Array.of(Number(number) >> 8, Number(number) & 255, branch));

/** A change of an account without storage; balance 0 deletes the account. */
export function balanceChange(index: number, balance: bigint): AccountChange {
  const account = balance === 0n ? undefined : newEoa(balance);
  return { address: addressOf(index), account, storageCleared: false, storage: [] };
}

/** A change of a contract; slots by number, value 0 deletes the slot. */
export function contractChange(
  index: number,
  slots: Iterable<readonly [number, number]>,
  cleared = false,
): AccountChange {
  const storage = [...new Map(slots)].map(([slot, value]) => ({
    slot: slotOf(slot),
    value:
      value === 0
        ? new Uint8Array(0)
        : value < 256
          ? Uint8Array.of(value)
          : Uint8Array.of(value >> 8, value & 255),
  }));
  const account: Account = {
    ...newContract(1n),
    nonce: 1n,
    codeHash: EMPTY_CODE_HASH,
    storageRoot: EMPTY_ROOT,
  };
  return { address: addressOf(index), account, storageCleared: cleared, storage };
}

const numbered = (length: number, number: number): Uint8Array => {
  const bytes = new Uint8Array(length);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
};

/** Enough slots of one contract, and enough accounts, to be hashed in many steps. */
export const MANY_CHANGES: StateChanges = {
  accounts: [
    {
      ...contractChange(100, [[3, 4]]),
      storage: [
        ...contractChange(100, [[3, 4]]).storage,
        ...Array.from({ length: 5000 }, (_, i) => ({ slot: numbered(32, i + 1), value: Uint8Array.of(7) })),
      ],
    },
    balanceChange(5, 7n),
    ...Array.from({ length: 600 }, (_, i) => ({ ...balanceChange(1, 7n), address: numbered(20, i + 1) })),
  ],
  codes: [],
};
