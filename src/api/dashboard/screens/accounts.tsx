import { useState } from "preact/hooks";
import { AddressField } from "../components/fields.tsx";
import { Form } from "../components/form.tsx";
import { Panel } from "../components/panel.tsx";
import { Table } from "../components/table.tsx";
import { Address, Amount } from "../components/text.tsx";
import { call } from "../kernel/api.ts";
import { toBigint } from "../kernel/format.ts";
import { useLive } from "../kernel/live.ts";
import { isAddress } from "../kernel/read.ts";
import { go } from "../kernel/router.ts";
import { screen } from "../kernel/screen.ts";
import { useCall } from "../kernel/use-call.ts";

/** Maximum accounts shown. */
const MAX_ACCOUNTS = 50;

/** Any account by its address, those of the wallets, and recently active ones. */
export const accounts = screen({
  path: "/accounts",
  title: "Accounts",
  menu: {
    label: "Accounts",
    icon: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.500 20c1-4 4-5.500 7.500-5.500s6.500 1.500 7.500 5.500",
  },
  component: Accounts,
});

interface Row {
  readonly address: string;
  readonly balance: string;
}

function Accounts() {
  const [address, setAddress] = useState("");
  const { rows } = useLive();
  const own = useCall(readOwn, "accounts");
  const [first] = useState(rows);
  const seen = useCall(
    () => balancesOf(first.flatMap(({ from, to }) => (to === null ? [from] : [from, to]))),
    "seen",
  );
  return (
    <>
      <Panel title="Look up">
        <Form
          label="Look up an account"
          action="Show"
          isReady={isAddress(address)}
          onSubmit={() => go(`/accounts/${address.trim()}`)}
        >
          <AddressField label="Address" value={address} onInput={setAddress} />
        </Form>
      </Panel>
      {own.data && (
        <Panel title="Wallets of this node">
          <List rows={own.data} empty="The node holds no keys." caption="Accounts of this node's wallets" />
        </Panel>
      )}
      {seen.data && (
        <Panel title="Recently active">
          <List rows={seen.data} empty="No transaction yet." caption="Recently active accounts" />
        </Panel>
      )}
    </>
  );
}

function List({
  rows,
  empty,
  caption,
}: {
  readonly rows: readonly Row[];
  readonly empty: string;
  readonly caption: string;
}) {
  return (
    <Table
      caption={caption}
      columns={[
        { name: "Address", show: ({ address }) => <Address value={address} isWhole /> },
        { name: "Balance", show: ({ balance }) => <Amount kei={toBigint(balance)} />, isNumber: true },
      ]}
      rows={rows}
      keyOf={({ address }) => address}
      empty={empty}
    />
  );
}

/** The node's keys are listed for sessions only. */
async function readOwn(): Promise<readonly Row[] | null> {
  const addresses = await call<string[]>("kaia_accounts").catch(() => null);
  return addresses && balancesOf(addresses);
}

function balancesOf(addresses: readonly string[]): Promise<readonly Row[]> {
  const unique = [...new Set(addresses)].slice(0, MAX_ACCOUNTS);
  return inBatches(unique, async (address) => ({
    address,
    balance: await call<string>("kaia_getBalance", [address, "latest"]),
  }));
}

/** A few calls at a time: the node allows 20 of all pages together. */
async function inBatches<T, R>(values: readonly T[], ask: (value: T) => Promise<R>): Promise<readonly R[]> {
  const found: R[] = [];
  for (let i = 0; i < values.length; i += 5)
    found.push(...(await Promise.all(values.slice(i, i + 5).map(ask))));
  return found;
}
