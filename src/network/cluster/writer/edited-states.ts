import type { AccountChange, StateChanges, StateReader } from "../../../ledger/state/state.ts";
import { EMPTY_CODE_HASH } from "../../../protocol/account/account.ts";
import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";

interface Touched {
  readonly address: Address;
  readonly slots: Map<string, Hash>;
}

/**
 * Accounts and slots edited on a development chain, by the block after which they were edited. The record of the next block includes their
 * values, so that applying it yields the root in its header.
 */
export class EditedStates {
  readonly #touched = new Map<bigint, Map<string, Touched>>();

  /** Registers edits of the state after block `head`. */
  note(head: bigint, { accounts }: StateChanges): void {
    const touched = this.#touched.get(head) ?? new Map<string, Touched>();
    this.#touched.set(head, touched);
    for (const { address, storage } of accounts) {
      const name = bytesToHex(address);
      const account = touched.get(name) ?? { address, slots: new Map() };
      touched.set(name, account);
      for (const { slot } of storage) account.slots.set(bytesToHex(slot), slot);
    }
  }

  /** Forgets edits of states above a block. */
  rewound(to: bigint): void {
    for (const head of this.#touched.keys()) if (head > to) this.#touched.delete(head);
  }

  /**
   * The values in `state` of everything edited after block `head`, even if reverted since; undefined if nothing was.
   * @param state - after the next block
   */
  valuesAfter(head: bigint, state: StateReader): StateChanges | undefined {
    const touched = this.#touched.get(head);
    if (touched === undefined) return undefined;
    const codes: { readonly hash: Hash; readonly code: Uint8Array }[] = [];
    const accounts = Array.from(touched.values(), ({ address, slots }): AccountChange => {
      const account = state.account(address);
      if (account && !equalBytes(account.codeHash, EMPTY_CODE_HASH))
        codes.push({ hash: account.codeHash, code: state.code(account.codeHash) });
      const storage = account
        ? Array.from(slots.values(), (slot) => ({ slot, value: state.storage(address, slot) }))
        : [];
      return { address, account, storageCleared: false, storage };
    });
    return { accounts, codes };
  }
}
