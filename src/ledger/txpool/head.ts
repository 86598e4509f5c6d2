import type { Account } from "../../protocol/account/account.ts";
import type { Rules } from "../../protocol/params/forks.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import type { Chain } from "../chain/chain.ts";
import type { StateReader } from "../state/state.ts";
import type { FeeLending } from "./fee-lending.ts";

/** The pool's view of the next block. */
export interface PoolHead {
  readonly state: StateReader;
  /** Number of the next block. */
  readonly number: bigint;
  /** Rules of the next block. */
  readonly rules: Rules;
  /** From magma on the base fee of the next block, which is the minimum price; before, the fixed unit price. */
  readonly price: bigint;
  /** Lends fees to senders that cannot pay; absent = no lending. */
  readonly lending?: FeeLending | undefined;
}

/** The pool's view of the block after the newest published one. */
export function poolHeadOf(chain: Chain, lending?: FeeLending): PoolHead {
  const number = chain.head.header.number + 1n;
  const rules = chain.rulesAt(number);
  const price = rules.magma ? chain.nextBaseFee() : chain.params.at(number).unitPrice;
  return { state: chain.latestState(), number, rules, price, lending };
}

/** Nonce of an account; 0 if it does not exist. */
export function nonceOf(state: StateReader, address: Address): bigint {
  return state.account(address)?.nonce ?? 0n;
}

/** Balance of an account in kei; 0 if it does not exist. */
export function balanceOf(state: StateReader, address: Address): bigint {
  const account: Account | undefined = state.account(address);
  return account?.balance ?? 0n;
}
