import type { ForkBase } from "../../../ledger/chain/fork-base.ts";
import type { Genesis } from "../../../ledger/chain/genesis/genesis.ts";
import { genesisChanges } from "../../../ledger/chain/genesis/genesis-state.ts";
import { SYSTEM_ADDRESS } from "../../../ledger/execution/system-call.ts";
import { SHADOW, shadowOf } from "../../../ledger/remote/forked-view.ts";
import type { RemoteState } from "../../../ledger/remote/remote-state.ts";
import type { AccountChange } from "../../../ledger/state/state.ts";
import { hasCode } from "../../../protocol/account/account.ts";
import { proposerSealMessage } from "../../../protocol/block/hash.ts";
import { encodeSeal } from "../../../protocol/block/seal.ts";
import { addressOfPrivateKey, sign } from "../../../protocol/crypto/secp256k1.ts";
import { ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import type { RemoteChain } from "./open-fork.ts";

/**
 * What a development chain adds to the state of the chain that it forks: its funded accounts, with their nonces from that
 * chain and keys of their own, and the preinstalled contracts that are missing there.
 */
export function forkBase(
  { point, state }: RemoteChain,
  genesis: Genesis,
  validatorKey: Uint8Array,
): ForkBase {
  return {
    point,
    seal: (header) => encodeSeal(sign(proposerSealMessage(header), validatorKey)),
    async changes() {
      const { accounts, codes } = genesisChanges(genesis);
      const author = addressOfPrivateKey(validatorKey);
      await state.prefetch([...accounts.map(({ address }) => address), author, SYSTEM_ADDRESS, ZERO_ADDRESS]);
      return { accounts: accounts.flatMap((change) => onFork(change, state)), codes };
    },
  };
}

function onFork(change: AccountChange, state: RemoteState): AccountChange[] {
  const { address, account } = change;
  const there = state.account(address);
  if (there === undefined || account === undefined) return [change];
  if (hasCode(account)) return hasCode(there) ? [] : [change];
  const funded = { ...change, account: { ...account, nonce: there.nonce } };
  const shadow = { address: shadowOf(address), account: SHADOW, storageCleared: false, storage: [] };
  return [funded, shadow];
}
