import { CODE_INFO_ISTANBUL } from "../../../protocol/account/account.ts";
import { delegationCode, delegationTarget } from "../../../protocol/account/delegation.ts";
import { type Address, EMPTY_BYTES, isZeroBytes } from "../../../protocol/primitives/bytes.ts";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import { authorityOf } from "../../../protocol/transaction/signatures/signers.ts";
import type { Authorization, Transaction } from "../../../protocol/transaction/transaction.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";

/** Refund for an authorization of an existing account: 25,000 − 12,500. */
const EXISTING_ACCOUNT_REFUND = 12_500n;

/** Applies the authorizations of a transaction in order; invalid ones are skipped. @see EIP-7702 */
export function applyAuthorizations(
  tx: Pick<Transaction, "authorizationList">,
  state: StateJournal,
  chainId: bigint,
): void {
  for (const authorization of tx.authorizationList ?? []) apply(authorization, state, chainId);
}

function apply(authorization: Authorization, state: StateJournal, chainId: bigint): void {
  const { address, nonce } = authorization;
  if (authorization.chainId !== 0n && authorization.chainId !== chainId) return;
  if (nonce === MAX_UINT64) return;
  const authority = authorityOf(authorization);
  if (authority === undefined) return;
  state.warm(authority);
  if (!mayDelegate(authority, nonce, state)) return;
  if (state.exists(authority)) state.addRefund(EXISTING_ACCOUNT_REFUND);
  state.setNonce(authority, nonce + 1n);
  if (isZeroBytes(address)) state.setCode(authority, EMPTY_BYTES, 0);
  else state.setCode(authority, delegationCode(address), CODE_INFO_ISTANBUL);
}

/** The reference only lets accounts with a legacy key delegate. */
function mayDelegate(authority: Address, nonce: bigint, state: StateJournal): boolean {
  const code = state.code(authority);
  if (code.length > 0 && delegationTarget(code) === undefined) return false;
  if (state.nonce(authority) !== nonce) return false;
  const account = state.account(authority);
  return account === undefined || account.key.type === "legacy";
}
