import type { PoolSender } from "../../rpc/spec/dashboard/wire.ts";

/** Explains why transactions of a sender are blocked; undefined if none is. */
export function explainGap({ nonce, pending, queued }: PoolSender): string | undefined {
  const [first] = queued;
  if (first === undefined) return undefined;
  const next = Math.max(nonce, (pending.at(-1)?.nonce ?? nonce - 1) + 1);
  if (first.nonce <= next)
    return (
      `The transaction with nonce ${first.nonce} is next, but not executable: its sender's balance may be too low, or its ` +
      "price is below the base fee."
    );
  const missing = first.nonce - next;
  const which = missing === 1 ? `nonce ${next}` : `nonces ${next} to ${first.nonce - 1}`;
  const many =
    queued.length === 1 ? "One transaction is waiting" : `${queued.length} transactions are waiting`;
  return (
    `${many} for ${which}: ${nonce} of this account are in the chain, ${pending.length} more ` +
    `${pending.length === 1 ? "is" : "are"} ready, and ${missing === 1 ? "one is" : `${missing} are`} missing. Send ` +
    "the missing ones, or drop the queued ones."
  );
}
