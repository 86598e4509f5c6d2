import type { BlockEnvironment } from "../environment.ts";
import { TransactionRejection } from "../errors.ts";
import { alice, bob, STRANGER } from "./world.ts";

/** Balances in kei after a transaction. */
export const balances = ({ state }: BlockEnvironment) => ({
  alice: state.balance(alice.address),
  bob: state.balance(bob.address),
  stranger: state.balance(STRANGER),
});

/** Code and message of the rejection. */
export function refusal(run: () => unknown): [string, string] {
  try {
    run();
  } catch (error) {
    if (error instanceof TransactionRejection) return [error.code, error.message];
    throw error;
  }
  throw new Error("not rejected");
}
