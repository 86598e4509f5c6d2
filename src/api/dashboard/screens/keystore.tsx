import { useEffect, useState } from "preact/hooks";
import type { UnlockedAccount } from "../../rpc/spec/dashboard/desk-wire.ts";
import { Field, Form } from "../components/form.tsx";
import { HardwareWallet } from "../components/keys/hardware-wallet.tsx";
import { KeyPanel } from "../components/keys/key-file.tsx";
import { NewPassphrase, useNewPassphrase } from "../components/keys/new-passphrase.tsx";
import { Outcome } from "../components/outcome.tsx";
import { Nothing, Panel, Problem, Waiting } from "../components/panel.tsx";
import { call } from "../kernel/api.ts";
import type { WalletJson } from "../kernel/keys.ts";
import { node } from "../kernel/node.ts";
import { screen } from "../kernel/screen.ts";
import { useAction } from "../kernel/use-action.ts";
import { type Called, useCall } from "../kernel/use-call.ts";

/** The keys of this node: files, hardware wallets, and which of them are unlocked. */
export const keystore = screen({
  path: "/keystore",
  title: "Keystore",
  menu: {
    label: "Keystore",
    icon: "M8 15a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 11h9M18 11v4",
  },
  needs: ["personal_listWallets"],
  component: Keystore,
});

function Keystore() {
  const { data, error, reload } = useCall(
    () => call<readonly WalletJson[]>("personal_listWallets"),
    "wallets",
  );
  const unlocked = useUnlocked();
  if (error) return <Problem error={error} />;
  if (data === undefined) return <Waiting />;
  const isHardware = ({ url }: WalletJson): boolean => /^(ledger|trezor):/.test(url);
  const devices = data.filter(isHardware);
  const files = data.filter((wallet) => !isHardware(wallet));
  return (
    <>
      <Panel
        title={`Accounts (${files.length})`}
        actions={
          <button type="button" class="small" onClick={reload}>
            Refresh
          </button>
        }
      >
        {files.length === 0 ? (
          <Nothing>The keystore is empty. Create a key, or import one, below.</Nothing>
        ) : (
          <ul class="wallets">
            {files.map((wallet) => (
              <KeyPanel
                key={wallet.url}
                wallet={wallet}
                unlocked={unlocked.data?.find(({ address }) => address === wallet.accounts?.[0]?.address)}
                onChange={() => {
                  reload();
                  unlocked.reload();
                }}
              />
            ))}
          </ul>
        )}
      </Panel>
      <Panel title="Hardware wallets">
        {devices.length === 0 ? (
          <Nothing>
            No Ledger or Trezor is connected to this machine, or the node was started without{" "}
            <code>--usb</code>. Plug one in, unlock it and refresh.
          </Nothing>
        ) : (
          <ul class="wallets">
            {devices.map((wallet) => (
              <HardwareWallet key={wallet.url} wallet={wallet} onChange={reload} />
            ))}
          </ul>
        )}
      </Panel>
      <div class="columns">
        <NewKey onChange={reload} />
        <ImportKey onChange={reload} />
      </div>
    </>
  );
}

/** Interval of polling what is unlocked: a minute without activity locks it. */
const WATCH_MS = 2_000;

function useUnlocked(): Called<readonly UnlockedAccount[]> {
  const asked = useCall(() => node.unlocked(), "unlocked");
  const { reload } = asked;
  useEffect(() => {
    const timer = window.setInterval(reload, WATCH_MS);
    return () => window.clearInterval(timer);
  }, [reload]);
  return asked;
}

function NewKey({ onChange }: { readonly onChange: () => void }) {
  const written = useNewPassphrase();
  const action = useAction();
  const make = (): void => {
    const secret = written.take();
    action.run(async () => {
      const address = await call<string>("personal_newAccount", [secret]);
      onChange();
      return `Created ${address}. Keep a copy of its file and its passphrase.`;
    });
  };
  return (
    <Panel title="New key">
      <Form
        label="Create a key"
        action="Create a key"
        isReady={written.isReady && !action.isRunning}
        onSubmit={make}
      >
        <NewPassphrase label="Passphrase" written={written} />
      </Form>
      <Outcome action={action} />
    </Panel>
  );
}

function ImportKey({ onChange }: { readonly onChange: () => void }) {
  const [key, setKey] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const action = useAction();
  const take = (): void => {
    const given = [key.trim().replace(/^0x/, ""), passphrase];
    setKey("");
    setPassphrase("");
    action.run(async () => {
      const address = await call<string>("personal_importRawKey", given);
      onChange();
      return `Stored as ${address}, encrypted with the passphrase.`;
    });
  };
  return (
    <Panel title="Import a key">
      <Form
        label="Import a key"
        action="Import"
        isReady={key.trim() !== "" && passphrase !== "" && !action.isRunning}
        onSubmit={take}
      >
        <Field
          label="Private key"
          value={key}
          onInput={setKey}
          isSecret
          hint="64 hex digits, or a wallet key of 110 characters."
        />
        <Field label="Passphrase that encrypts it" value={passphrase} onInput={setPassphrase} isSecret />
      </Form>
      <Outcome action={action} />
    </Panel>
  );
}
