import type { Transaction } from "../transaction/transaction.ts";
import type { Header } from "./header.ts";

export interface Block {
  readonly header: Header;
  readonly transactions: readonly Transaction[];
}
