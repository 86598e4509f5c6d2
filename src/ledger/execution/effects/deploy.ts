import { contractAddress } from "../../../protocol/account/address.ts";
import { TransactionRejection } from "../errors.ts";
import { createContract, type EffectRules } from "./effect.ts";
import { checkNotReserved } from "./recipient.ts";

/** The only code format there is. */
const CODE_FORMAT_EVM = 0n;

/** Creates a contract by a Kaia type. */
export const deploy: EffectRules = {
  check(tx) {
    if (tx.to !== undefined) {
      throw rejection("contract deploy transaction can't have a recipient address");
    }
    if (tx.from !== undefined) checkNotReserved(contractAddress(tx.from, tx.nonce));
    if (tx.humanReadable) throw rejection("Human-readable address is not supported now");
    if (tx.codeFormat !== CODE_FORMAT_EVM) throw rejection("smart contract code format is invalid");
  },
  run: createContract,
};

function rejection(text: string): TransactionRejection {
  return new TransactionRejection("TYPE_RULE", text);
}
