import { AccountKeyError } from "../../../protocol/account/errors.ts";
import { type AccountKey, LEGACY_KEY } from "../../../protocol/account/key.ts";
import { decodeAccountKey } from "../../../protocol/account/key-codec.ts";
import { updateAccountKey } from "../../../protocol/account/key-rules.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { TransactionRejection } from "../errors.ts";
import { type Accounts, type EffectRules, onlyRaiseNonce } from "./effect.ts";
import { hasProgram } from "./recipient.ts";

/** Gives the sender's account a new key. */
export const accountUpdate: EffectRules = {
  check(tx, accounts) {
    const sender = tx.from as Address;
    try {
      newKey(tx, sender, accounts);
    } catch (error) {
      if (!(error instanceof AccountKeyError)) throw error;
      throw new TransactionRejection("TYPE_RULE", error.message, error.details, { cause: error });
    }
    if (hasProgram(accounts, sender)) {
      throw new TransactionRejection("TYPE_RULE", "sender must be an EOA without code");
    }
  },
  run(call) {
    const result = onlyRaiseNonce(call);
    try {
      call.block.state.setKey(call.sender, newKey(call.tx, call.sender, call.block.state));
      return result;
    } catch (error) {
      if (!(error instanceof AccountKeyError)) throw error;
      return { ...result, status: error.receiptStatus, error: error.message };
    }
  },
};

/** @throws AccountKeyError when the old key cannot be replaced by the new one */
function newKey(tx: Transaction, sender: Address, accounts: Accounts): AccountKey {
  const oldKey = accounts.account(sender)?.key ?? LEGACY_KEY;
  return updateAccountKey(oldKey, decodeAccountKey(tx.key as Uint8Array));
}
