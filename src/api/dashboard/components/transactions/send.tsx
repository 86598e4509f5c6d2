import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../kernel/api.ts";
import { ownAccounts, unlockWith } from "../../kernel/keys.ts";
import { go } from "../../kernel/router.ts";
import { useCall } from "../../kernel/use-call.ts";
import { AddressField } from "../fields.tsx";
import { Choice, ConfirmPanel, Field } from "../form.tsx";

/** A passphrase that is used once. */
export function PassphraseField({
  value,
  onInput,
}: {
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  return (
    <Field
      label="Passphrase"
      value={value}
      onInput={onInput}
      isSecret
      hint="Only for an account that is locked; it is unlocked for one minute."
    />
  );
}

/** Selects an account whose key the node holds. */
export function OwnAccount({
  label,
  value,
  onInput,
}: {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  const { data } = useCall(ownAccounts, "own accounts");
  const options = (data ?? []).map((address) => [address, address] as const);
  if (data?.length === 0) return <AddressField label={label} value={value} onInput={onInput} />;
  return (
    <Choice label={label} value={value} onInput={onInput} options={[["", "choose an account"], ...options]} />
  );
}

/** Shows a transaction of an account of this node before it is signed and sent, then navigates to it. */
export function SendPanel({
  what,
  tx,
  facts,
  onClose,
}: {
  readonly what: string;
  readonly tx: { readonly from: string } & Readonly<Record<string, unknown>>;
  readonly facts: readonly (readonly [string, ComponentChildren])[];
  readonly onClose: () => void;
}) {
  const [passphrase, setPassphrase] = useState("");
  const send = async (): Promise<void> => {
    const secret = passphrase;
    setPassphrase("");
    await unlockWith(tx.from, secret);
    const hash = await call<string>("kaia_sendTransaction", [tx]);
    go(`/transactions/${hash}`);
  };
  return (
    <ConfirmPanel what={what} facts={facts} send={send} onClose={onClose}>
      <PassphraseField value={passphrase} onInput={setPassphrase} />
    </ConfirmPanel>
  );
}
