import type {
  BlockRow,
  Found,
  HistoryPage,
  LogLine,
  Overview,
  Sample,
  TraceReport,
  TransactionReport,
  TransactionRow,
} from "../../rpc/spec/dashboard/wire.ts";
import { call } from "./api.ts";

/** The methods of the dashboard's namespace, with their types. */
export const node = {
  overview: () => call<Overview>("dashboard_overview"),
  blocks: (count: number, before?: number) => call<BlockRow[]>("dashboard_blocks", listed(count, before)),
  transactions: (count: number, before?: number) =>
    call<TransactionRow[]>("dashboard_transactions", listed(count, before)),
  blockTransactions: (number: number, count: number, from = 0) =>
    call<TransactionRow[]>("dashboard_blockTransactions", [number, count, from]),
  transaction: (hash: string) => call<TransactionReport | null>("dashboard_transaction", [hash]),
  trace: (hash: string) => call<TraceReport>("dashboard_trace", [hash]),
  history: (address: string, count: number, before?: number) =>
    call<HistoryPage>("dashboard_history", [address, ...listed(count, before)]),
  search: (text: string) => call<Found[]>("dashboard_search", [text]),
  samples: () => call<Sample[]>("dashboard_samples"),
  logLines: () => call<LogLine[]>("dashboard_logLines"),
};

function listed(count: number, before: number | undefined): number[] {
  return before === undefined ? [count] : [count, before];
}
