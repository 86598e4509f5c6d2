import { EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { encodeAccount } from "../../../protocol/account/account-codec.ts";
import { trieRoot } from "../../../protocol/block/ordered-trie.ts";
import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import type { Hash } from "../../../protocol/primitives/bytes.ts";
import type { AccountChange, StateChanges } from "../../state/state.ts";

/**
 * Root of the state that results from `changes` of an empty state, computed without a store, for the hash of a genesis.
 */
export function stateRootOf(changes: StateChanges): Hash {
  const entries = changes.accounts.flatMap(({ address, account, storage }) =>
    account === undefined
      ? []
      : [
          {
            key: keccak256(address),
            value: encodeAccount({ ...account, storageRoot: storageRootOf(storage) }),
          },
        ],
  );
  return trieRoot(entries);
}

function storageRootOf(storage: AccountChange["storage"]): Hash {
  if (storage.length === 0) return EMPTY_ROOT;
  return trieRoot(
    Array.from(storage, ({ slot, value }) => ({ key: keccak256(slot), value: encodeItem(value) })),
  );
}
