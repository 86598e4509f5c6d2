import type { CallReport, ContractReport } from "../../rpc/spec/dashboard/contract-wire.ts";
import type {
  DraftReport,
  FeePayerReport,
  KeyReport,
  UnlockedAccount,
} from "../../rpc/spec/dashboard/desk-wire.ts";
import type {
  BlockRow,
  CallTimes,
  Found,
  HistoryPage,
  LogLine,
  Overview,
  PoolReport,
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
  history: (address: string, count: number, before?: HistoryPage["next"]) =>
    call<HistoryPage>("dashboard_history", [address, count, ...(before ? [before] : [])]),
  pool: () => call<PoolReport>("dashboard_pool"),
  search: (text: string) => call<Found[]>("dashboard_search", [text]),
  samples: () => call<Sample[]>("dashboard_samples"),
  callTimes: () => call<CallTimes[]>("dashboard_callTimes"),
  unlocked: () => call<UnlockedAccount[]>("dashboard_unlocked"),
  logLines: () => call<LogLine[]>("dashboard_logLines"),
  examine: (raw: string) => call<DraftReport>("dashboard_examine", [raw]),
  merge: (raws: readonly string[]) => call<DraftReport>("dashboard_merge", [raws]),
  feePayer: () => call<FeePayerReport | null>("dashboard_feePayer"),
  draft: (tx: unknown) => call<DraftReport>("dashboard_draft", [tx]),
  addSignature: (raw: string, signer: string, role: number) =>
    call<DraftReport>("dashboard_addSignature", [raw, signer, role]),
  publicKey: (address: string) => call<string>("dashboard_publicKey", [address]),
  changePassphrase: (address: string, passphrase: string, next: string) =>
    call<null>("dashboard_changePassphrase", [address, passphrase, next]),
  examineKey: (address: string, key: unknown) => call<KeyReport>("dashboard_examineKey", [address, key]),
  contract: (address: string, abi?: unknown) =>
    call<ContractReport>("dashboard_contract", abi === undefined ? [address] : [address, abi]),
  encodeCall: (address: string, selector: string, values: readonly unknown[], abi?: unknown) =>
    call<string>("dashboard_encodeCall", [address, selector, values, ...(abi === undefined ? [] : [abi])]),
  read: (address: string, selector: string, values: readonly unknown[], abi?: unknown) =>
    call<CallReport>("dashboard_read", [
      address,
      selector,
      values,
      null,
      ...(abi === undefined ? [] : [abi]),
    ]),
};

function listed(count: number, before: number | undefined): number[] {
  return before === undefined ? [count] : [count, before];
}
