import { bodyRootInSteps } from "../../protocol/block/body-root.ts";
import type { Header } from "../../protocol/block/header.ts";
import { deriveSha } from "../../protocol/block/list-root.ts";
import { equalBytes } from "../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";

/** Values of the governance parameter `deriveShaImpl`. */
const ROOT_IMPLEMENTATIONS = [0, 1, 2];

/**
 * Whether a header commits to transactions, in steps, under any derivation of the root that governance can select; which one applies to
 * the block is checked on import.
 */
export function* isBodyOf(
  { transactionsRoot }: Header,
  transactions: readonly Transaction[],
): Generator<void, boolean> {
  for (const implementation of ROOT_IMPLEMENTATIONS)
    if (equalBytes(yield* bodyRootInSteps(implementation, transactions), transactionsRoot)) return true;
  return false;
}

/** The roots of an empty list of transactions. */
const EMPTY_ROOTS = ROOT_IMPLEMENTATIONS.map((implementation) => deriveSha(implementation, []));

/** Whether a header commits to no transactions. */
export function isEmpty({ transactionsRoot }: Header): boolean {
  return EMPTY_ROOTS.some((root) => equalBytes(root, transactionsRoot));
}
