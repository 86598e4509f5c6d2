import { hasCode } from "../../../protocol/account/account.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { isReservedAddress } from "../../evm/precompiles/index.ts";
import { TransactionRejection } from "../errors.ts";
import type { Accounts } from "./effect.ts";

/** @throws TransactionRejection when the address lies in the range that no transaction may use */
export function checkNotReserved(address: Address | undefined): void {
  if (address === undefined || !isReservedAddress(address)) return;
  throw new TransactionRejection("TYPE_RULE", "the address is reserved for pre-compiled contracts");
}

/** Whether an account is a contract or an EOA that delegates to one. */
export function hasProgram(accounts: Accounts, address: Address): boolean {
  const account = accounts.account(address);
  return account !== undefined && (account.type === "sca" || hasCode(account));
}
