/** A transaction as `txpool_content` shows it. */
interface WireTransaction {
  readonly hash: string;
  readonly nonce: string;
  readonly type?: string;
  readonly to?: string | null;
  readonly value?: string;
  readonly gasPrice?: string;
  readonly maxFeePerGas?: string;
}

type Listing = Readonly<Record<string, Readonly<Record<string, WireTransaction>>>>;

/** As `txpool_content` answers: by sender and nonce. */
export interface WirePool {
  readonly pending: Listing;
  readonly queued: Listing;
}

/** A transaction in the pool. */
export interface PooledTransaction {
  readonly hash: string;
  readonly nonce: number;
  /** Without the prefix `TxType`. */
  readonly type: string;
  readonly to: string | null;
  /** kei, as hex */
  readonly value: string;
  readonly price: string;
  /** Whether the next block may include it. */
  readonly isReady: boolean;
}

/** The transactions of one account, by nonce. */
export interface PoolSender {
  readonly address: string;
  /** The account's next nonce on the chain. */
  readonly nonce: number;
  readonly pending: readonly PooledTransaction[];
  readonly queued: readonly PooledTransaction[];
}

/** Maximum transactions shown per sender. */
const MAX_SHOWN = 100;

/** The content of the pool by sender: those with the most blocked transactions first, then the most pending. Account nonces are not filled in. */
export function sendersOf({ pending, queued }: WirePool): readonly PoolSender[] {
  const addresses = [...new Set([...Object.keys(pending), ...Object.keys(queued)])];
  const senders = addresses.map((address) => ({
    ...{ address, nonce: 0 },
    pending: inOrder(pending[address], true),
    queued: inOrder(queued[address], false),
  }));
  return senders.sort((a, b) => b.queued.length - a.queued.length || b.pending.length - a.pending.length);
}

function inOrder(
  listed: Readonly<Record<string, WireTransaction>> | undefined,
  isReady: boolean,
): readonly PooledTransaction[] {
  return Object.entries(listed ?? {})
    .map(([nonce, tx]) => ({
      ...{ hash: tx.hash, nonce: Number(nonce), isReady },
      type: (tx.type ?? "").replace("TxType", ""),
      to: tx.to ?? null,
      value: tx.value ?? "0x0",
      price: tx.gasPrice ?? tx.maxFeePerGas ?? "0x0",
    }))
    .sort((a, b) => a.nonce - b.nonce)
    .slice(0, MAX_SHOWN);
}

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
