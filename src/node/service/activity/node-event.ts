import type { Receipt } from "../../../protocol/block/receipt.ts";
import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";

/**
 * Something a node has done. Texts come from callers and contracts: escape them (`visible`) before showing them on a
 * terminal. They hold no secrets: parameters are included only for calls, estimates and sends that an estimate refused.
 */
export type NodeEvent = CallEvent | TransactionEvent | BlockEvent | RemovalEvent;

/** A method was called, over any transport, and has been answered. */
export interface CallEvent {
  readonly kind: "call";
  /** As the caller wrote it, whether or not such a method exists. */
  readonly method: string;
  readonly durationMs: number;
  /** The message of `eth_call`, `eth_estimateGas` and the like, and of a send that was refused, as the caller wrote it. */
  readonly message?: CalledMessage;
  /** The failure. */
  readonly error?: CallFailure;
  /** Lines of `console.log`. */
  readonly console: readonly string[];
}

/** The error returned to the caller. */
export interface CallFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  /** Source locations of the failure, one per line, innermost first; absent if unknown. */
  readonly trace?: readonly string[];
}

/** The members of a call that are strings; others are left out. */
export interface CalledMessage {
  readonly from?: string;
  readonly to?: string;
  readonly value?: string;
  readonly input?: string;
}

/** A transaction was included in a block of the chain. */
export interface TransactionEvent {
  readonly kind: "transaction";
  readonly hash: Hash;
  readonly blockNumber: bigint;
  readonly index: number;
  readonly transaction: Transaction;
  readonly sender: Address;
  readonly receipt: Receipt;
  /** kei per gas. */
  readonly price: bigint;
  /** Gas used × price, kei. */
  readonly fee: bigint;
  /** Parts of the fee; the fee payer's is 0 if the sender pays alone. */
  readonly shares: { readonly sender: bigint; readonly feePayer: bigint };
  /** Why it failed, in the node's words; a revert reason is in `output`. */
  readonly error?: string | undefined;
  /** The text of `Error(string)`, or the meaning of `Panic(uint256)`, with which a contract reverted. */
  readonly reason?: string | undefined;
  /** Return data of the failed contract, up to 16 KiB. */
  readonly output?: Uint8Array | undefined;
  /** Lines of `console.log`. */
  readonly console: readonly string[];
}

/** A block joined the chain. Reported after its transactions. */
export interface BlockEvent {
  readonly kind: "block";
  readonly number: bigint;
  readonly hash: Hash;
  /** Seconds since 1970. */
  readonly time: bigint;
  readonly transactions: number;
  readonly gasUsed: bigint;
}

/** Blocks left the chain, rewound or replaced. Reported before the blocks that replace them. */
export interface RemovalEvent {
  readonly kind: "removal";
  /** The lowest of them. */
  readonly first: bigint;
  readonly last: bigint;
  readonly transactions: number;
}

/** Called with every event, in order, while the node waits: it should return quickly. What it throws is logged. */
export type NodeListener = (event: NodeEvent) => void;
