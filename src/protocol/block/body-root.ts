import type { Hash } from "../primitives/bytes.ts";
import { encodeTransaction } from "../transaction/encoding.ts";
import type { Transaction } from "../transaction/transaction.ts";
import { deriveShaInSteps } from "./list-root.ts";

/** The last computed root, by list: it is checked once for the sender of a block, and again with the block. */
const roots = new WeakMap<readonly Transaction[], { readonly implementation: number; readonly root: Hash }>();

/**
 * Root over the transactions of a received block, in steps; cached for a second call.
 * @param implementation - the governance parameter `deriveShaImpl`, see `deriveSha`
 * @param transactions - without sidecars; the list must not change afterwards
 */
export function* bodyRootInSteps(
  implementation: number,
  transactions: readonly Transaction[],
): Generator<void, Hash> {
  const known = roots.get(transactions);
  if (known?.implementation === implementation) return known.root;
  const root = yield* deriveShaInSteps(implementation, transactions.map(encodeTransaction));
  roots.set(transactions, { implementation, root });
  return root;
}
