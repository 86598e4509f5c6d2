import { newEoa } from "../../../protocol/account/account.ts";
import { FORKS } from "../../../protocol/params/forks.ts";
import { createInlineRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { TransactionPoolOptions } from "../options.ts";
import { ChainTransactionPool } from "../transaction-pool.ts";
import { createPoolChain, type PoolChain } from "./chain.ts";
import { type TestWallet, transfer, wallet } from "./transactions.ts";

/** Chain id of the tests' transactions. */
export const CHAIN_ID = 2019n;
/** 10⁹ kei. */
export const GKEI = 1_000_000_000n;
/** Accounts of every `createPool`, with 100 KAIA each. */
export const WALLETS = [wallet(0), wallet(1), wallet(2)] as const;

/** A pool over a chain with every fork active, and the clock it goes by. */
export function createPool(options: Partial<TransactionPoolOptions> = {}) {
  const accounts = new Map(WALLETS.map(({ key }) => [key, newEoa(10n ** 20n)]));
  const poolChain = createPoolChain(FORKS.length, CHAIN_ID, accounts);
  const time = { nowMs: 0 };
  const pool = new ChainTransactionPool({
    chain: poolChain.chain,
    recovery: createInlineRecovery(CHAIN_ID),
    now: () => time.nowMs,
    options,
  });
  return { pool, poolChain, time };
}

/** Sets an account's nonce in the state; `publish` notifies the pool. */
export function setNonce({ accounts }: PoolChain, { key }: TestWallet, nonce: bigint): void {
  accounts.set(key, { ...newEoa(10n ** 20n), nonce });
}

/** A transfer from one of the wallets. @param price - in Gkei */
export const tx = (from: number, nonce: number, price = 25) =>
  transfer(WALLETS[from] as TestWallet, { nonce: BigInt(nonce), gasPrice: BigInt(price) * GKEI }, CHAIN_ID);

/** The nonces of transactions, in order. */
export const nonces = (transactions: readonly Transaction[]) =>
  transactions.map(({ nonce }) => Number(nonce));
