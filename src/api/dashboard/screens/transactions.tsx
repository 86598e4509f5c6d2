import { transactionColumns } from "../components/rows.tsx";
import { LiveTable } from "../components/table.tsx";
import { useLive } from "../kernel/live.ts";
import { screen } from "../kernel/screen.ts";

/** The latest transactions, live. */
export const transactions = screen({
  path: "/transactions",
  title: "Transactions",
  menu: { label: "Transactions", icon: "M4 8h14l-4-4M20 16H6l4 4" },
  component: Transactions,
});

function Transactions() {
  const { rows } = useLive();
  return (
    <LiveTable
      title="Newest transactions"
      columns={transactionColumns}
      rows={rows}
      keyOf={({ hash }) => hash}
      empty="No transaction yet."
    />
  );
}
