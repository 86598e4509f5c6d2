import type { Transaction } from "../transaction/transaction.ts";
import type { Header } from "./header.ts";

/** A block: header and transactions. Kaia has no uncles. */
export interface Block {
  readonly header: Header;
  readonly transactions: readonly Transaction[];
}
