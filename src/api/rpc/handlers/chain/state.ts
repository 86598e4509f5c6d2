import type { TransactionPool } from "../../../../ledger/txpool/pool.ts";
import { hasCode } from "../../../../protocol/account/account.ts";
import { accountToJson } from "../../../../protocol/account/account-json.ts";
import { accountKeyToJson } from "../../../../protocol/account/key-json.ts";
import { EMPTY_BYTES, leftPad } from "../../../../protocol/primitives/bytes.ts";
import { leadingHexBytes } from "../../../../protocol/primitives/hex.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { kaiaState, state } from "../../spec/chain/state.ts";
import type { Handlers } from "../../spec/method.ts";
import type { ChainReader } from "./chain-reader.ts";

/** Accounts as both namespaces read them. */
export function stateHandlers(reader: ChainReader, pool: TransactionPool): Handlers<typeof state> {
  return {
    getBalance: ({ address, block }) => reader.stateAt(block).state.account(address)?.balance ?? 0n,
    getTransactionCount({ address, block }) {
      if (block.number === "pending") return pool.nonce(address);
      return reader.stateAt(block).state.account(address)?.nonce ?? 0n;
    },
    getCode({ address, block }) {
      const { state: accounts } = reader.stateAt(block);
      const account = accounts.account(address);
      return account === undefined ? EMPTY_BYTES : accounts.code(account.codeHash);
    },
    getStorageAt: ({ address, slot, block }) =>
      leftPad(reader.stateAt(block).state.storage(address, slotOf(slot)), 32),
  };
}

/** What only Kaia accounts have. */
export function kaiaStateHandlers(reader: ChainReader, dialect: Dialect): Handlers<typeof kaiaState> {
  return {
    accountCreated: ({ address, block }) => reader.stateAt(block).state.account(address) !== undefined,
    getAccount({ address, block }) {
      const account = reader.stateAt(block).state.account(address);
      return account === undefined ? null : dialect.account(accountToJson(account));
    },
    getAccountKey({ address, block }) {
      const account = reader.stateAt(block).state.account(address);
      return account === undefined ? null : accountKeyToJson(account.key);
    },
    isContractAccount({ address, block }) {
      const { state: accounts } = reader.stateAt(block);
      const account = accounts.account(address);
      return account !== undefined && hasCode(account);
    },
  };
}

/**
 * Parses a slot as the reference does: hex with or without prefix, of any length; only the last 32 bytes count, and
 * parsing stops at the first character that is not a digit.
 */
function slotOf(text: string): Uint8Array {
  return leftPad(leadingHexBytes(text).subarray(-32), 32);
}
