import { useState } from "preact/hooks";
import { TypeCode } from "../../../protocol/transaction/types.ts";
import type { DraftReport } from "../../rpc/spec/dashboard/desk-wire.ts";
import { AddressField, AmountField } from "../components/fields.tsx";
import { Choice, ConfirmPanel, Field, Form } from "../components/form.tsx";
import { Outcome } from "../components/outcome.tsx";
import { Nothing, Panel } from "../components/panel.tsx";
import { Bytes, Copy, YesNo } from "../components/text.tsx";
import { DraftFacts, draftFacts } from "../components/transactions/draft.tsx";
import { OwnAccount, PassphraseField } from "../components/transactions/send.tsx";
import { call } from "../kernel/api.ts";
import { drafts, keepDraft, removeDraft } from "../kernel/drafts.ts";
import { shortened, words } from "../kernel/format.ts";
import { unlockWith } from "../kernel/keys.ts";
import { node } from "../kernel/node.ts";
import { isAddress, toKei } from "../kernel/read.ts";
import { go } from "../kernel/router.ts";
import { screen } from "../kernel/screen.ts";
import { useAction } from "../kernel/use-action.ts";

/** Collects signatures for a transaction until it can be sent. */
export const multisig = screen({
  path: "/multisig",
  title: "Multisig desk",
  menu: { label: "Multisig desk", icon: "M4 17c3-6 4-10 6-10s0 8 2 8 2-3 4-3 2 3 4 3M4 21h16" },
  needs: ["dashboard_draft", "dashboard_addSignature"],
  component: Multisig,
});

function Multisig() {
  const [list, setList] = useState(drafts());
  const keep = (draft: DraftReport): void => setList(keepDraft(draft));
  return (
    <>
      <div class="columns">
        <Start onDraft={keep} />
        <Import known={list} onDraft={keep} />
      </div>
      {list.length === 0 ? (
        <Panel title="Waiting for signatures">
          <Nothing>
            None yet. Start one here, or import one from another signer. They are kept in this page only,
            until it is closed: copy what you want to keep.
          </Nothing>
        </Panel>
      ) : (
        list.map((draft) => (
          <Draft
            key={draft.signedHash}
            draft={draft}
            onChange={keep}
            onRemove={() => setList(removeDraft(draft))}
          />
        ))
      )}
    </>
  );
}

function Start({ onDraft }: { readonly onDraft: (draft: DraftReport) => void }) {
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const [amount, setAmount] = useState("1");
  const action = useAction();
  const kei = toKei(amount);
  const isReady = isAddress(from) && isAddress(to) && kei !== undefined && !action.isRunning;
  const make = (): void =>
    action.run(async () => {
      const value = `0x${(kei ?? 0n).toString(16)}`;
      onDraft(await node.draft({ typeInt: TypeCode.valueTransfer, from: from.trim(), to: to.trim(), value }));
      return undefined;
    });
  return (
    <Panel title="Start a transfer">
      <Form label="Start a transfer" action="Start" isReady={isReady} onSubmit={make}>
        <AddressField label="From (the account with the multisig key)" value={from} onInput={setFrom} />
        <AddressField label="To" value={to} onInput={setTo} />
        <AmountField label="KAIA" value={amount} onInput={setAmount} />
      </Form>
      <Outcome action={action} />
    </Panel>
  );
}

/** Imports a transaction, or merges another copy of one. */
function Import({
  known,
  onDraft,
}: {
  readonly known: readonly DraftReport[];
  readonly onDraft: (draft: DraftReport) => void;
}) {
  const [text, setText] = useState("");
  const action = useAction();
  const raw = text.trim();
  const isReady = /^0x([0-9a-fA-F]{2})+$/.test(raw) && !action.isRunning;
  const take = (): void =>
    action.run(async () => {
      const given = await node.examine(raw);
      const own = known.find(({ signedHash }) => signedHash === given.signedHash);
      onDraft(own === undefined ? given : await node.merge([own.raw, raw]));
      setText("");
      return own === undefined ? "Imported." : "Its signatures were merged into this copy.";
    });
  return (
    <Panel title="Import or merge">
      <Form label="Import a transaction" action="Import" isReady={isReady} onSubmit={take}>
        <Field
          label="Raw transaction"
          value={text}
          onInput={setText}
          isLong
          hint="Copied from another signer. Signatures of copies of the same transaction are merged."
        />
      </Form>
      <Outcome action={action} />
    </Panel>
  );
}

function Draft({
  draft,
  onChange,
  onRemove,
}: {
  readonly draft: DraftReport;
  readonly onChange: (draft: DraftReport) => void;
  readonly onRemove: () => void;
}) {
  const [isAsked, setAsked] = useState(false);
  const send = async (): Promise<void> => {
    const hash = await call<string>("kaia_sendRawTransaction", [draft.raw]);
    onRemove();
    go(`/transactions/${hash}`);
  };
  return (
    <Panel
      title={`${words(draft.type)} of ${shortened(draft.from)}`}
      actions={
        <>
          <YesNo ok={draft.isComplete} yes="ready to send" no="signatures missing" />
          <button type="button" class="small" onClick={onRemove}>
            Remove
          </button>
        </>
      }
    >
      <DraftFacts draft={draft} />
      <Sign draft={draft} onChange={onChange} />
      <h3>For the next signer</h3>
      <Bytes value={draft.raw} what="raw transaction" />
      {isAsked ? (
        <ConfirmPanel what="Send" facts={draftFacts(draft)} send={send} onClose={() => setAsked(false)} />
      ) : (
        <p class="actions">
          <button type="button" class="primary" disabled={!draft.isComplete} onClick={() => setAsked(true)}>
            Send…
          </button>
          <span class="muted">
            Copy the bytes for another signer <Copy text={draft.raw} what="raw transaction" />
          </span>
        </p>
      )}
    </Panel>
  );
}

/** Adds the signature of an account of this node. */
function Sign({
  draft,
  onChange,
}: {
  readonly draft: DraftReport;
  readonly onChange: (draft: DraftReport) => void;
}) {
  const [signer, setSigner] = useState("");
  const [role, setRole] = useState("0");
  const [passphrase, setPassphrase] = useState("");
  const action = useAction();
  const sign = (): void => {
    const secret = passphrase;
    setPassphrase("");
    action.run(async () => {
      await unlockWith(signer, secret);
      onChange(await node.addSignature(draft.raw, signer, Number(role)));
      return undefined;
    });
  };
  return (
    <Form
      label="Add a signature"
      action="Sign"
      isReady={isAddress(signer) && !action.isRunning}
      onSubmit={sign}
    >
      <div class="columns tight">
        <OwnAccount label="Sign with the key of" value={signer} onInput={setSigner} />
        {draft.feePayer && (
          <Choice
            label="As"
            value={role}
            onInput={setRole}
            options={[
              ["0", "sender"],
              ["2", "fee payer"],
            ]}
          />
        )}
        <PassphraseField value={passphrase} onInput={setPassphrase} />
      </div>
      <Outcome action={action} />
    </Form>
  );
}
