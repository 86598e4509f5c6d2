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

/** A transaction that waits. */
export interface PooledTransaction {
  readonly hash: string;
  readonly nonce: number;
  /** Without the prefix `TxType`. */
  readonly type: string;
  readonly to: string | null;
  /** kei, as hex */
  readonly value: string;
  readonly price: string;
  /** Whether the next block may take it. */
  readonly isReady: boolean;
}

/** What of one account waits, in the order of nonces. */
export interface PoolSender {
  readonly address: string;
  /** The nonce that the chain takes next. */
  readonly nonce: number;
  readonly pending: readonly PooledTransaction[];
  readonly queued: readonly PooledTransaction[];
}

/** Transactions that are shown of one sender. */
const MOST_SHOWN = 100;

/** The content of the pool by sender: those that wait for something first, then those with most. Their nonces are not known yet. */
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
    .slice(0, MOST_SHOWN);
}

/** What the waiting transactions of a sender wait for, in words; undefined where none waits. */
export function explainGap({ nonce, pending, queued }: PoolSender): string | undefined {
  const [first] = queued;
  if (first === undefined) return undefined;
  const next = Math.max(nonce, (pending.at(-1)?.nonce ?? nonce - 1) + 1);
  if (first.nonce <= next)
    return `The transaction with nonce ${first.nonce} is next, and is held back: its sender may be short of KAIA, or its price too low for the base fee.`;
  const missing = first.nonce - next;
  const which = missing === 1 ? `nonce ${next}` : `nonces ${next} to ${first.nonce - 1}`;
  const many = queued.length === 1 ? "One transaction waits" : `${queued.length} transactions wait`;
  return `${many} for ${which}: the chain has taken ${nonce} of this account, ${pending.length} more ${pending.length === 1 ? "is" : "are"} ready, and ${missing === 1 ? "one is" : `${missing} are`} missing. Send what is missing, or drop what waits.`;
}
