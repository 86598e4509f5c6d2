import type { Hex } from "../../../../protocol/primitives/hex.ts";

/** A block as a row of a list. Quantities are decimal texts where they can exceed 2⁵³, else numbers. */
export interface BlockRow {
  readonly number: number;
  readonly hash: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly transactions: number;
  readonly gasUsed: number;
  /** kei per gas, decimal; null before Magma. */
  readonly baseFee: string | null;
  /** Address; null for the genesis block. */
  readonly proposer: string | null;
  /** Consensus round in which the block was committed. */
  readonly round: number;
}

/** A transaction as a row of a list. */
export interface TransactionRow {
  readonly hash: string;
  readonly block: number;
  readonly index: number;
  /** Without the prefix `TxType`: `FeeDelegatedValueTransferWithRatio`. */
  readonly type: string;
  readonly from: string;
  /** Recipient, or the contract that was created. */
  readonly to: string | null;
  readonly isCreation: boolean;
  /** kei, decimal. */
  readonly value: string;
  readonly feePayer: string | null;
  /** Percent that the fee payer pays. */
  readonly feeRatio: number | null;
  readonly ok: boolean;
  /** Function and contract, where artifacts are known; else the selector; null without input. */
  readonly call: string | null;
  readonly gasUsed: number;
}

/** A pushed event. */
export type LiveEvent =
  /** Newest first; of very many at once only the newest. */
  | { readonly kind: "head"; readonly blocks: readonly BlockRow[]; readonly rows: readonly TransactionRow[] }
  | { readonly kind: "removal"; readonly first: number; readonly last: number }
  | { readonly kind: "sample"; readonly sample: Sample };

/** The measurements of one second. */
export interface Sample {
  /** Epoch milliseconds. */
  readonly at: number;
  /** By name, see `SERIES`. */
  readonly values: readonly number[];
}

/** What is measured each second, in the order of `Sample.values`. */
export const SERIES = [
  "height",
  "transactions",
  "gas",
  "calls",
  "failures",
  "callP50",
  "callP95",
  "callP99",
  "heap",
  "resident",
  "loopDelay",
  "pending",
  "queued",
  "peers",
  "reads",
  "writes",
  "hits",
  "misses",
] as const;
/** Name of a measured series. */
export type SeriesName = (typeof SERIES)[number];

/** How long the calls of one method took, of the newest thousand. */
export interface CallTimes {
  readonly method: string;
  readonly calls: number;
  readonly failures: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** A line of the log. */
export interface LogLine {
  /** Grows by one with each line. */
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly level: string;
  /** Component; empty for the node itself. */
  readonly room: string;
  readonly message: string;
  /** Data of the line by name, as text. */
  readonly data: Readonly<Record<string, string>>;
}

/** The page's initial data about the node. */
export interface Overview {
  readonly version: string;
  readonly chainId: number;
  /** `development chain`, `endpoint node`… */
  readonly role: string;
  readonly isDevelopment: boolean;
  readonly genesisHash: string;
  /** Forks with their blocks, in their order. */
  readonly forks: readonly { readonly name: string; readonly block: number }[];
  readonly height: number;
  /** kei per gas, decimal. */
  readonly baseFee: string;
  readonly pending: number;
  readonly queued: number;
  readonly peers: number;
  readonly databaseBytes: number;
  readonly heapBytes: number;
  readonly residentBytes: number;
  readonly uptimeMs: number;
  /** Where programs connect to. */
  readonly endpoints: { readonly http?: string; readonly ws?: string; readonly ipc?: string };
  /** Whether this caller may change anything. */
  readonly mayWrite: boolean;
  /** Names of the methods that this caller may call. */
  readonly methods: readonly string[];
  /** Newest first. */
  readonly blocks: readonly BlockRow[];
  readonly rows: readonly TransactionRow[];
}

/** One signature of a transaction. */
export interface SignatureReport {
  readonly v: string;
  readonly r: string;
  readonly s: string;
  /** Recovered from the signature; null where nothing can be. */
  readonly address: string | null;
  /** Compressed, 33 bytes. */
  readonly publicKey: string | null;
  /** Of this key in a multisig key; null elsewhere. */
  readonly weight: number | null;
  /** Whether the account's key holds this signer. */
  readonly belongs: boolean;
  /** Why nothing was recovered. */
  readonly problem: string | null;
}

/** The signatures of a sender or a fee payer, and the key that they are checked against. */
export interface SignerReport {
  /** What the signatures are for: `transaction`, `account update` or `fee payer`. */
  readonly role: string;
  readonly address: string;
  readonly keyType: string;
  readonly threshold: number | null;
  /** Sum of the weights that signed. */
  readonly weight: number | null;
  /** Whether they satisfy the key; null where the key at that block is not known any more. */
  readonly valid: boolean | null;
  readonly signatures: readonly SignatureReport[];
  /** A remark, such as that an impersonated account has no signature. */
  readonly note: string | null;
}

/** A transaction with the node's analysis. */
export interface TransactionReport {
  readonly row: TransactionRow | null;
  readonly hash: string;
  readonly typeName: string;
  readonly typeCode: number;
  /** Bytes as they are on the wire. */
  readonly raw: string;
  /** Every member as in `kaia_getTransactionByHash`. */
  readonly transaction: Readonly<Record<string, unknown>>;
  /** As in `kaia_getTransactionReceipt`, with the first events and the beginnings of their data; null while pending. */
  readonly receipt: Readonly<Record<string, unknown>> | null;
  /** Number of all events. */
  readonly eventCount: number;
  /** Seconds since 1970. */
  readonly time: number | null;
  /** kei, decimal. */
  readonly fee: string | null;
  readonly senderFee: string | null;
  readonly feePayerFee: string | null;
  /** The whole call with names and arguments, where artifacts are known. */
  readonly call: string | null;
  readonly contract: string | null;
  /** Events with names, by position; null where unknown. */
  readonly events: readonly (string | null)[];
  /** Account key that an account update installs, as JSON. */
  readonly newKey: unknown;
  readonly sender: SignerReport;
  readonly feePayer: SignerReport | null;
}

/** A transaction in the pool. */
export interface PooledTransaction {
  readonly hash: string;
  readonly nonce: number;
  /** Without the prefix `TxType`. */
  readonly type: string;
  readonly to: string | null;
  /** kei, decimal. */
  readonly value: string;
  /** kei per gas, decimal. */
  readonly price: string;
  /** Whether the next block may include it. */
  readonly isReady: boolean;
}

/** The first transactions of one account in the pool, by nonce. */
export interface PoolSender {
  readonly address: string;
  /** The account's next nonce on the chain. */
  readonly nonce: number;
  readonly pending: readonly PooledTransaction[];
  readonly queued: readonly PooledTransaction[];
}

/** The pool by sender: those with the most blocked transactions first, then those with the most pending ones. */
export interface PoolReport {
  readonly senders: readonly PoolSender[];
  /** Of all senders. */
  readonly count: number;
}

/** A call of a transaction and the calls below it. */
export interface TraceNode {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly contract: string | null;
  /** Function with arguments; the input as hex, truncated, where unknown. */
  readonly text: string;
  readonly isNamed: boolean;
  /** kei, decimal. */
  readonly value: string;
  readonly gasUsed: number;
  readonly output: string;
  readonly error: string | null;
  readonly events: readonly string[];
  readonly storage: readonly { readonly slot: string; readonly from: string; readonly to: string }[];
  readonly calls: readonly TraceNode[];
}

/** A trace: the tree, and where in the source it failed. */
export interface TraceReport {
  readonly root: TraceNode;
  readonly stack: readonly string[];
  /** Calls, events and changed slots that are left out because there are too many. */
  readonly omitted: number;
}

/** Transactions that an account sent, newest first. */
export interface HistoryPage {
  readonly rows: readonly TransactionRow[];
  /** `before` of the next page, as nonces need not fit a number of JavaScript; null at the end. */
  readonly next: Hex | null;
}

/** Something that a search found. */
export interface Found {
  readonly kind: "block" | "transaction" | "account" | "function" | "event";
  /** Its key: number, hash, address. */
  readonly id: string;
  readonly text: string;
}
