import { useState } from "preact/hooks";
import type { DraftReport } from "../../rpc/spec/dashboard/desk-wire.ts";
import { ConfirmPanel, Field, Form } from "../components/form.tsx";
import { Outcome } from "../components/outcome.tsx";
import { Facts, Nothing, Panel, Problem } from "../components/panel.tsx";
import { transactionColumns } from "../components/rows.tsx";
import { Table } from "../components/table.tsx";
import { Address, Copy, Foreign, Tag } from "../components/text.tsx";
import { DraftFacts, draftFacts } from "../components/transactions/draft.tsx";
import { OwnAccount, PassphraseField } from "../components/transactions/send.tsx";
import { call } from "../kernel/api.ts";
import { kaia } from "../kernel/format.ts";
import { unlockWith } from "../kernel/keys.ts";
import { useLive } from "../kernel/live.ts";
import { node } from "../kernel/node.ts";
import { useOverview } from "../kernel/overview.ts";
import { isAddress } from "../kernel/read.ts";
import { go } from "../kernel/router.ts";
import { screen } from "../kernel/screen.ts";
import { useAction } from "../kernel/use-action.ts";
import { useCall } from "../kernel/use-call.ts";

const FEE_PAYER = 2;
const AUTOMATIC = "kairn_setAutoFeePayer";

/** Fee payers, and what they have paid. */
export const feePayer = screen({
  path: "/fee-payer",
  title: "Fee payer desk",
  menu: {
    label: "Fee payer",
    icon: "M3 7h18v10H3zM12 14.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM6 10v4M18 10v4",
  },
  component: FeePayer,
});

function FeePayer() {
  const { methods } = useOverview();
  const { rows } = useLive();
  return (
    <>
      {methods.includes("dashboard_addSignature") && <Desk />}
      <div class="columns">
        <Service />
        {methods.includes(AUTOMATIC) && <Automatic />}
      </div>
      <Panel title="Recently sponsored">
        <Table
          caption="Transactions with a fee payer"
          columns={[
            ...transactionColumns.filter(({ name }) => !["To", "Value"].includes(name)),
            {
              name: "Fee payer",
              show: ({ feePayer, feeRatio }) => (
                <>
                  {feePayer !== null && <Address value={feePayer} />}{" "}
                  {feeRatio !== null && feeRatio < 100 && <Tag tone="info">{feeRatio} %</Tag>}
                </>
              ),
            },
          ]}
          rows={rows.filter((row) => row.feePayer !== null)}
          keyOf={({ hash }) => hash}
          empty="None of the newest transactions has a fee payer."
        />
      </Panel>
    </>
  );
}

/** Adds a fee payer's signature to a transaction signed by its sender. */
function Desk() {
  const [text, setText] = useState("");
  const [payer, setPayer] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const [draft, setDraft] = useState<DraftReport>();
  const [isAsked, setAsked] = useState(false);
  const action = useAction();
  const raw = text.trim();
  const look = (): void =>
    action.run(async () => {
      const found = await node.examine(raw);
      if (found.feePayer === null)
        throw new Error("Only the sender can pay for this one: its type has no fee payer.");
      setDraft(found);
      return undefined;
    });
  const pay = (): void => {
    const secret = passphrase;
    setPassphrase("");
    action.run(async () => {
      await unlockWith(payer, secret);
      const signed = await node.addSignature(draft?.raw ?? raw, payer, FEE_PAYER);
      setDraft(signed);
      setAsked(signed.isComplete);
      return signed.isComplete ? undefined : "Signed. More signatures are needed: see the multisig desk.";
    });
  };
  const send = async (): Promise<void> => {
    const hash = await call<string>("kaia_sendRawTransaction", [draft?.raw]);
    go(`/transactions/${hash}`);
  };
  return (
    <Panel title="Pay for a transaction">
      <Form
        label="A transaction signed by its sender"
        action="Decode"
        isReady={/^0x([0-9a-fA-F]{2})+$/.test(raw) && !action.isRunning}
        onSubmit={look}
      >
        <Field
          label="Raw transaction, signed by its sender"
          value={text}
          onInput={(value) => {
            setText(value);
            setDraft(undefined);
          }}
          isLong
        />
      </Form>
      {draft && (
        <>
          <DraftFacts draft={draft} />
          <Form
            label="Sign as fee payer"
            action="Sign as fee payer"
            isReady={isAddress(payer) && draft.sender.valid === true && !action.isRunning}
            onSubmit={pay}
          >
            <div class="columns tight">
              <OwnAccount label="Account that pays" value={payer} onInput={setPayer} />
              <PassphraseField value={passphrase} onInput={setPassphrase} />
            </div>
          </Form>
        </>
      )}
      <Outcome action={action} />
      {draft && isAsked && (
        <ConfirmPanel what="Send" facts={draftFacts(draft)} send={send} onClose={() => setAsked(false)} />
      )}
    </Panel>
  );
}

/** The fee payer service for dApps on a development chain. */
function Service() {
  const { data, error } = useCall(() => node.feePayer(), "fee payer");
  if (error) return <Problem error={error} />;
  return (
    <Panel title="Service" actions={data && <Tag tone="good">on</Tag>}>
      {data === undefined || data === null ? (
        <Nothing>
          No fee payer service is running. <code>kairn dev --fee-payer-port 8600</code> starts one with the
          interface of Kaia's fee delegation service.
        </Nothing>
      ) : (
        <Facts
          entries={[
            [
              "Address",
              <span key="url" class="hex whole">
                {data.url} <Copy text={data.url} what="address of the service" />
              </span>,
            ],
            ["Account that pays", <Address key="account" value={data.account} />],
            ["Daily limit", data.dailyLimit === null ? "no limit" : kaia(BigInt(data.dailyLimit))],
            [
              "Daily limit per sender",
              data.dailySenderLimit === null ? "no limit" : kaia(BigInt(data.dailySenderLimit)),
            ],
            [
              "Pays for",
              data.dapps === null ? (
                "everybody"
              ) : (
                <Foreign key="dapps" text={data.dapps.join(", ")} maxLength={500} />
              ),
            ],
          ]}
        />
      )}
    </Panel>
  );
}

/** Sets an account of the node as the fee payer of transactions that arrive without one. */
function Automatic() {
  const now = useCall(() => call<string | null>("kairn_getAutoFeePayer"), "automatic");
  const [account, setAccount] = useState("");
  const action = useAction();
  const set = (who: string | undefined): void =>
    action.run(async () => {
      await call(AUTOMATIC, who === undefined ? [] : [who]);
      now.reload();
      return undefined;
    });
  return (
    <Panel title="Automatic fee payer" actions={now.data ? <Tag tone="good">on</Tag> : <Tag>off</Tag>}>
      <p class="muted">
        On this development chain an account can pay for every fee-delegated transaction that arrives without
        a fee payer's signature.
      </p>
      {now.data && (
        <p class="actions">
          <Address value={now.data} isWhole />
          <button type="button" class="small" onClick={() => set(undefined)}>
            Turn off
          </button>
        </p>
      )}
      <Form
        label="Automatic fee payer"
        action={now.data ? "Change" : "Turn on"}
        isReady={isAddress(account) && !action.isRunning}
        onSubmit={() => set(account)}
      >
        <OwnAccount label="Account that pays" value={account} onInput={setAccount} />
      </Form>
      <Outcome action={action} />
    </Panel>
  );
}
