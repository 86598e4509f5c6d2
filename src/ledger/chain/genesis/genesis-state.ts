import {
  type Account,
  CODE_INFO_ISTANBUL,
  EMPTY_CODE_HASH,
  newContract,
  newEoa,
} from "../../../protocol/account/account.ts";
import { delegationTarget } from "../../../protocol/account/delegation.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import type { Rules } from "../../../protocol/params/forks.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import { trimLeadingZeros } from "../../../protocol/primitives/bytes.ts";
import type { AccountChange, StateChanges } from "../../state/state.ts";
import type { Genesis, GenesisAccount } from "./genesis.ts";

/** A genesis state as changes to the empty state. Accounts without balance, nonce and code are kept. */
export function genesisChanges(genesis: Genesis): StateChanges {
  const rules = rulesAt(genesis.config, genesis.number);
  const withCode = genesis.alloc.filter(({ code }) => code.length > 0);
  return {
    accounts: genesis.alloc.map((account) => changeOf(account, rules)),
    codes: withCode.map(({ code }) => ({ hash: keccak256(code), code })),
  };
}

function changeOf(allocated: GenesisAccount, rules: Rules): AccountChange {
  return {
    address: allocated.address,
    account: accountOf(allocated, rules),
    storageCleared: false,
    storage: allocated.storage
      .map(({ slot, value }) => ({ slot, value: trimLeadingZeros(value) }))
      .filter(({ value }) => value.length > 0),
  };
}

function accountOf({ balance, nonce, code, storage }: GenesisAccount, rules: Rules): Account {
  const codeHash = code.length > 0 ? keccak256(code) : EMPTY_CODE_HASH;
  if (rules.prague && delegationTarget(code)) {
    return { ...newEoa(balance), nonce, codeHash, codeInfo: CODE_INFO_ISTANBUL };
  }
  const codeInfo = code.length > 0 && rules.istanbul ? CODE_INFO_ISTANBUL : 0;
  const isContract = code.length > 0 || (storage.length > 0 && !rules.prague);
  return isContract ? { ...newContract(balance, codeInfo), nonce, codeHash } : { ...newEoa(balance), nonce };
}
