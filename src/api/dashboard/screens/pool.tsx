import { useState } from "preact/hooks";
import type { PooledTransaction, PoolReport, PoolSender } from "../../rpc/spec/dashboard/wire.ts";
import { ConfirmPanel } from "../components/form.tsx";
import { Nothing, Panel, Problem, RawJson, Waiting } from "../components/panel.tsx";
import { Table, type TableColumn } from "../components/table.tsx";
import { Address, Amount, GasPrice, Tag, TransactionHash } from "../components/text.tsx";
import { call } from "../kernel/api.ts";
import { grouped, toBigint, words } from "../kernel/format.ts";
import { useLive } from "../kernel/live.ts";
import { node } from "../kernel/node.ts";
import { useOverview } from "../kernel/overview.ts";
import { explainGap } from "../kernel/pool.ts";
import { screen } from "../kernel/screen.ts";
import { useCall } from "../kernel/use-call.ts";

const DROP = "anvil_dropTransaction";

/** Pending and queued transactions by sender, and what blocks each sender. */
export const pool = screen({
  path: "/pool",
  title: "Pool",
  menu: { label: "Pool", icon: "M4 6h16v4H4zM4 14h10v4H4zM17 14h3v4h-3z" },
  component: Pool,
});

function Pool() {
  const live = useLive();
  const newest = live.samples.at(-1)?.values;
  // reloaded when a block or transaction arrives
  const key = `pool ${live.height} ${newest?.[11]} ${newest?.[12]}`;
  const { data, error, reload } = useLatest(key);
  if (error) return <Problem error={error} />;
  if (data === undefined) return <Waiting />;
  const { senders, count } = data;
  if (senders.length === 0)
    return (
      <Panel title="Nothing pending">
        <Nothing>
          The pool is empty: everything sent has been mined. On a development chain with automatic mining,
          turn it off under “Dev controls” to see transactions wait here.
        </Nothing>
      </Panel>
    );
  return (
    <>
      {count > senders.length && (
        <p class="warning">
          Showing {senders.length} of {grouped(count)} senders.
        </p>
      )}
      {senders.map((sender) => (
        <Sender key={sender.address} sender={sender} onChange={reload} />
      ))}
    </>
  );
}

/** Keeps the last response while the next one is awaited, so that the list does not flicker. */
function useLatest(key: string) {
  const [kept, setKept] = useState<PoolReport>();
  const { error, reload } = useCall(async () => setKept(await node.pool()), key);
  return { data: kept, error, reload };
}

function Sender({ sender, onChange }: { readonly sender: PoolSender; readonly onChange: () => void }) {
  const { methods } = useOverview();
  const [dropped, setDropped] = useState<PooledTransaction>();
  const gap = explainGap(sender);
  const mayDrop = methods.includes(DROP);
  const columns: readonly TableColumn<PooledTransaction>[] = [
    ...poolColumns,
    ...(mayDrop
      ? [
          {
            name: "Action",
            show: (tx: PooledTransaction) => (
              <button type="button" class="small" onClick={() => setDropped(tx)}>
                Drop
              </button>
            ),
          },
        ]
      : []),
  ];
  const drop = async (hash: string): Promise<void> => {
    await call(DROP, [hash]);
    onChange();
  };
  return (
    <section class="panel" aria-label={`Transactions of ${sender.address}`}>
      <header>
        <h2>
          <Address value={sender.address} />
        </h2>
        <div class="actions">
          <Tag tone="good">{sender.pending.length} ready</Tag>
          {sender.queued.length > 0 && <Tag tone="warn">{sender.queued.length} waiting</Tag>}
        </div>
      </header>
      {gap && <p class="warning">{gap}</p>}
      {dropped && (
        <ConfirmPanel
          what={`Drop the transaction with nonce ${dropped.nonce}`}
          facts={[
            ["Transaction", <TransactionHash key="hash" value={dropped.hash} />],
            ["Type", words(dropped.type)],
          ]}
          send={() => drop(dropped.hash)}
          onClose={() => setDropped(undefined)}
        />
      )}
      <Table
        caption={`Transactions of ${sender.address}`}
        columns={columns}
        rows={[...sender.pending, ...sender.queued]}
        keyOf={({ hash }) => hash}
        empty="None."
      />
      <RawJson value={sender} />
    </section>
  );
}

const poolColumns: readonly TableColumn<PooledTransaction>[] = [
  { name: "Nonce", show: ({ nonce }) => grouped(nonce), isNumber: true },
  { name: "Transaction", show: ({ hash }) => <TransactionHash value={hash} /> },
  { name: "Type", show: ({ type }) => words(type), isExtra: true },
  {
    name: "State",
    show: ({ isReady }) => (isReady ? <Tag tone="good">ready</Tag> : <Tag tone="warn">waits</Tag>),
  },
  { name: "To", show: ({ to }) => (to === null ? "–" : <Address value={to} />), isExtra: true },
  { name: "Value", show: ({ value }) => <Amount kei={toBigint(value)} />, isNumber: true, isExtra: true },
  {
    name: "Gas price",
    show: ({ price }) => <GasPrice kei={toBigint(price)} />,
    isNumber: true,
    isExtra: true,
  },
];
