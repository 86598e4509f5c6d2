import { useState } from "preact/hooks";
import { TypeCode } from "../../../../protocol/transaction/types.ts";
import type { DraftReport } from "../../../rpc/spec/dashboard/desk-wire.ts";
import { call } from "../../kernel/api.ts";
import { ownAccounts, unlockWith } from "../../kernel/keys.ts";
import { node } from "../../kernel/node.ts";
import { isAddress, toKei } from "../../kernel/read.ts";
import { go } from "../../kernel/router.ts";
import { useAction } from "../../kernel/use-action.ts";
import { useCall } from "../../kernel/use-call.ts";
import { AddressField, AmountField } from "../fields.tsx";
import { Choice, ConfirmPanel, Field, Form } from "../form.tsx";
import { Outcome } from "../outcome.tsx";
import { Panel } from "../panel.tsx";
import { draftFacts } from "./draft.tsx";
import { PassphraseField } from "./send.tsx";

/** Types of transactions by who pays their fee. */
const TYPES = {
  sender: TypeCode.valueTransfer,
  feePayer: TypeCode.valueTransfer + 1,
  both: TypeCode.valueTransfer + 2,
};
const [SENDER, FEE_PAYER] = [0, 2];

/** Sends KAIA from an account of this node, at its own cost or that of another; empty for other accounts. */
export function Transfer({ from }: { readonly from: string }) {
  const { data: own = [] } = useCall(ownAccounts, "own accounts");
  const isOwn = own.some((address) => address.toLowerCase() === from.toLowerCase());
  if (!isOwn) return null;
  return <TransferForm from={from} others={own.filter((address) => address !== from.toLowerCase())} />;
}

function TransferForm({ from, others }: { readonly from: string; readonly others: readonly string[] }) {
  const [to, setTo] = useState("");
  const [amount, setAmount] = useState("1");
  const [payer, setPayer] = useState("");
  const [share, setShare] = useState("100");
  const [draft, setDraft] = useState<DraftReport>();
  const action = useAction();
  const kei = toKei(amount);
  const percent = /^\d{1,3}$/.test(share.trim()) ? Number(share) : 0;
  const isShare = percent >= 1 && percent <= 100;
  const isReady = isAddress(to) && kei !== undefined && (payer === "" || isShare) && !action.isRunning;
  const preview = (): void =>
    action.run(async () => {
      const value = `0x${(kei ?? 0n).toString(16)}`;
      const shared = payer !== "" && percent < 100;
      const typeInt = payer === "" ? TYPES.sender : shared ? TYPES.both : TYPES.feePayer;
      const paid = { ...(payer !== "" && { feePayer: payer }), ...(shared && { feeRatio: percent }) };
      setDraft(await node.draft({ typeInt, from, to: to.trim(), value, ...paid }));
      return undefined;
    });
  return (
    <Panel title="Send KAIA">
      <Form label="Send KAIA" action="Preview…" isReady={isReady} onSubmit={preview}>
        <div class="columns tight">
          <AddressField label="To" value={to} onInput={setTo} />
          <AmountField label="KAIA" value={amount} onInput={setAmount} />
          <Choice
            label="Fee payer"
            value={payer}
            onInput={setPayer}
            options={[["", "this account"], ...others.map((address) => [address, address] as const)]}
          />
          {payer !== "" && (
            <Field
              label="Its share in percent"
              value={share}
              onInput={setShare}
              problem={isShare ? undefined : "A whole number from 1 to 100."}
            />
          )}
        </div>
      </Form>
      <Outcome action={action} />
      {draft && <Confirm key={draft.hash} draft={draft} payer={payer} onClose={() => setDraft(undefined)} />}
    </Panel>
  );
}

/** Asks for confirmation, signs with one key or two, and sends. */
function Confirm({
  draft,
  payer,
  onClose,
}: {
  readonly draft: DraftReport;
  /** Empty if the sender pays. */
  readonly payer: string;
  readonly onClose: () => void;
}) {
  const [passphrase, setPassphrase] = useState("");
  const send = async (): Promise<void> => {
    const secret = passphrase;
    setPassphrase("");
    await unlockWith(draft.from, secret);
    let { raw } = await node.addSignature(draft.raw, draft.from, SENDER);
    if (payer !== "") ({ raw } = await node.addSignature(raw, payer, FEE_PAYER));
    go(`/transactions/${await call<string>("kaia_sendRawTransaction", [raw])}`);
  };
  return (
    <ConfirmPanel what="Send KAIA" facts={draftFacts(draft)} send={send} onClose={onClose}>
      <PassphraseField value={passphrase} onInput={setPassphrase} />
    </ConfirmPanel>
  );
}
