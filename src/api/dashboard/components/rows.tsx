import type { BlockRow, TransactionRow } from "../../rpc/spec/dashboard/wire.ts";
import { gkei, grouped, words } from "../kernel/format.ts";
import type { TableColumn } from "./table.tsx";
import { Address, Ago, Amount, BlockNumber, Foreign, Tag, TransactionHash, YesNo } from "./text.tsx";

/** Columns of lists of blocks. */
export const blockColumns: readonly TableColumn<BlockRow>[] = [
  { name: "Block", show: ({ number }) => <BlockNumber value={number} /> },
  { name: "Age", show: ({ time }) => <Ago time={time} /> },
  { name: "Txs", show: ({ transactions }) => grouped(transactions), isNumber: true },
  { name: "Gas used", show: ({ gasUsed }) => grouped(gasUsed), isNumber: true },
  {
    name: "Base fee",
    show: ({ baseFee }) => (baseFee === null ? "–" : gkei(BigInt(baseFee))),
    isNumber: true,
    isExtra: true,
  },
  {
    name: "Proposer",
    show: ({ proposer, round }) => (
      <>
        {proposer === null ? <span class="muted">genesis</span> : <Address value={proposer} />}
        {round > 0 && <Tag tone="warn">round {round}</Tag>}
      </>
    ),
    isExtra: true,
  },
];

/** Columns of lists of transactions. */
export const transactionColumns: readonly TableColumn<TransactionRow>[] = [
  { name: "Transaction", show: ({ hash }) => <TransactionHash value={hash} /> },
  { name: "Block", show: ({ block }) => <BlockNumber value={block} /> },
  { name: "What", show: (row) => <What row={row} /> },
  { name: "From", show: ({ from }) => <Address value={from} />, isExtra: true },
  {
    name: "To",
    show: ({ to, isCreation }) =>
      to === null ? (
        <span class="muted">–</span>
      ) : (
        <>
          <Address value={to} /> {isCreation && <Tag tone="info">new</Tag>}
        </>
      ),
    isExtra: true,
  },
  { name: "Value", show: ({ value }) => <Amount kei={BigInt(value)} />, isNumber: true },
  { name: "Result", show: ({ ok }) => <YesNo ok={ok} yes="ok" no="failed" /> },
];

/** The type of a transaction, what it calls, and who pays for it. */
function What({ row: { type, call, feePayer, feeRatio } }: { readonly row: TransactionRow }) {
  const isSelector = call === null || /^0x[0-9a-f]{8}$/.test(call);
  return (
    <span class="what" title={words(type)}>
      {isSelector ? words(type) : <Foreign text={call} maxLength={60} />}
      {isSelector && call !== null && <code class="muted">{call}</code>}
      {feePayer !== null && (
        <Tag tone="info">fee payer{feeRatio === null || feeRatio === 100 ? "" : ` ${feeRatio} %`}</Tag>
      )}
    </span>
  );
}
