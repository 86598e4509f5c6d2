import { useState } from "preact/hooks";
import { call } from "../../kernel/api.ts";
import { kaia } from "../../kernel/format.ts";
import { isAddress, toKei } from "../../kernel/read.ts";
import { useAction } from "../../kernel/use-action.ts";
import { AddressField, AmountField } from "../fields.tsx";
import { ConfirmPanel, Form } from "../form.tsx";
import { Outcome } from "../outcome.tsx";
import { Panel } from "../panel.tsx";
import { Table } from "../table.tsx";
import { Address } from "../text.tsx";

/** Sets the balance of any account. */
export function Balance() {
  const [address, setAddress] = useState("");
  const [amount, setAmount] = useState("1000");
  const [isAsked, setAsked] = useState(false);
  const kei = toKei(amount);
  const isReady = isAddress(address) && kei !== undefined;
  const set = async (): Promise<void> => {
    await call("anvil_setBalance", [address.trim(), `0x${(kei ?? 0n).toString(16)}`]);
  };
  return (
    <Panel title="Set a balance">
      <Form label="Set a balance" action="Set" isReady={isReady} onSubmit={() => setAsked(true)}>
        <AddressField label="Account" value={address} onInput={setAddress} />
        <AmountField label="KAIA" value={amount} onInput={setAmount} />
      </Form>
      {isAsked && kei !== undefined && (
        <ConfirmPanel
          what="Set a balance"
          facts={[
            ["Account", <Address key="account" value={address.trim()} isWhole />],
            ["New balance", kaia(kei)],
          ]}
          send={set}
          onClose={() => setAsked(false)}
        />
      )}
    </Panel>
  );
}

/** Accounts whose transactions are accepted without their key. */
export function Impersonation() {
  const [address, setAddress] = useState("");
  const [who, setWho] = useState<readonly string[]>([]);
  const action = useAction();
  const start = (): void =>
    action.run(async () => {
      const one = address.trim().toLowerCase();
      await call("anvil_impersonateAccount", [one]);
      setWho([one, ...who.filter((other) => other !== one)]);
      setAddress("");
      return undefined;
    });
  const stop = (one: string): void =>
    action.run(async () => {
      await call("anvil_stopImpersonatingAccount", [one]);
      setWho(who.filter((other) => other !== one));
      return undefined;
    });
  return (
    <Panel title="Impersonate">
      <Form
        label="Impersonate an account"
        action="Impersonate"
        isReady={isAddress(address) && !action.isRunning}
        onSubmit={start}
      >
        <AddressField
          label="Account"
          value={address}
          onInput={setAddress}
          hint="The node accepts its transactions without its key, from anyone who sends them here."
        />
      </Form>
      <Outcome action={action} />
      <Table
        caption="Impersonated accounts"
        columns={[
          { name: "Account", show: (one) => <Address value={one} /> },
          {
            name: "Action",
            show: (one) => (
              <button type="button" class="small" onClick={() => stop(one)}>
                Stop
              </button>
            ),
          },
        ]}
        rows={who}
        keyOf={(one) => one}
        empty="No account is impersonated from this page."
      />
    </Panel>
  );
}
