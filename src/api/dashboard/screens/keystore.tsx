import { useState } from "preact/hooks";
import { Field, Form } from "../components/form.tsx";
import { Outcome } from "../components/outcome.tsx";
import { Nothing, Panel, Problem, Waiting } from "../components/panel.tsx";
import { PinPad } from "../components/pin-pad.tsx";
import { Address, Foreign, Tag } from "../components/text.tsx";
import { call, RefusedCall } from "../kernel/api.ts";
import { screen } from "../kernel/screen.ts";
import { useAction } from "../kernel/use-action.ts";
import { useCall } from "../kernel/use-call.ts";

/** Seconds for which an account may be unlocked here; the session locks it sooner when nobody does anything. */
const UNLOCK_SECONDS = 300;
const DEFAULT_PATH = "m/44'/8217'/0'/0/0";

/** The keys of this node: files, hardware wallets, and which of them are open. */
export const keystore = screen({
  path: "/keystore",
  title: "Key store",
  menu: {
    label: "Key store",
    icon: "M8 15a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 11h9M18 11v4",
  },
  needs: ["personal_listWallets"],
  component: Keystore,
});

/** As `personal_listWallets` answers. */
interface WalletJson {
  readonly url: string;
  readonly status: string;
  readonly failure?: string;
  readonly accounts?: readonly { readonly address: string; readonly url: string }[];
}

function Keystore() {
  const { data, error, reload } = useCall(
    () => call<readonly WalletJson[]>("personal_listWallets"),
    "wallets",
  );
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
            Look again
          </button>
        }
      >
        {files.length === 0 ? (
          <Nothing>The key store is empty. Make a key, or import one, below.</Nothing>
        ) : (
          <ul class="wallets">
            {files.map((wallet) => (
              <AccountFile key={wallet.url} wallet={wallet} onChange={reload} />
            ))}
          </ul>
        )}
      </Panel>
      <Panel title="Hardware wallets">
        {devices.length === 0 ? (
          <Nothing>
            No Ledger and no Trezor is connected to this machine, or the node was started without{" "}
            <code>--usb</code>. Plug one in, unlock it and look again.
          </Nothing>
        ) : (
          <ul class="wallets">
            {devices.map((wallet) => (
              <Device key={wallet.url} wallet={wallet} onChange={reload} />
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

function AccountFile({ wallet, onChange }: { readonly wallet: WalletJson; readonly onChange: () => void }) {
  const { url, status, failure, accounts } = wallet;
  const address = accounts?.[0]?.address ?? "";
  const [isOpening, setOpening] = useState(false);
  const [passphrase, setPassphrase] = useState("");
  const action = useAction();
  const isUnlocked = status === "Unlocked";
  const unlock = (): void => {
    const secret = passphrase;
    setPassphrase("");
    action.run(async () => {
      const done = await call<boolean>("personal_unlockAccount", [address, secret, UNLOCK_SECONDS]);
      if (!done) throw new Error("The passphrase is wrong, or this node unlocks no account for a page.");
      setOpening(false);
      onChange();
      return "Unlocked for 5 minutes, and locked again after one in which you do nothing here.";
    });
  };
  const lock = (): void =>
    action.run(async () => {
      await call("personal_lockAccount", [address]);
      onChange();
      return undefined;
    });
  return (
    <li>
      <div class="wallet">
        <Address value={address} isWhole />
        <Tag tone={isUnlocked ? "warn" : "good"}>{isUnlocked ? "unlocked" : status.toLowerCase()}</Tag>
        {isUnlocked ? (
          <button type="button" class="small" onClick={lock}>
            Lock
          </button>
        ) : (
          <button type="button" class="small" onClick={() => setOpening(!isOpening)}>
            Unlock…
          </button>
        )}
        <a href={`#/accounts/${address}/key`}>Account key…</a>
        <span class="muted file">
          <Foreign text={url} most={300} />
        </span>
      </div>
      {failure && (
        <p class="warning">
          <Foreign text={failure} most={500} />
        </p>
      )}
      {isOpening && !isUnlocked && (
        <Form label="Unlock" action="Unlock" isReady={!action.isRunning} onSubmit={unlock}>
          <Field
            label="Passphrase"
            value={passphrase}
            onInput={setPassphrase}
            isSecret
            hint="Sent once to the node on this machine, and cleared."
          />
        </Form>
      )}
      <Outcome action={action} />
    </li>
  );
}

/** A Ledger or Trezor: opened with what it asks for, and its accounts derived. */
function Device({ wallet, onChange }: { readonly wallet: WalletJson; readonly onChange: () => void }) {
  const { url, status, failure, accounts = [] } = wallet;
  const [asks, setAsks] = useState<"pin" | "passphrase">();
  const [secret, setSecret] = useState("");
  const [path, setPath] = useState(DEFAULT_PATH);
  const action = useAction();
  const open = (): void => {
    const given = secret;
    setSecret("");
    action.run(async () => {
      try {
        await call("personal_openWallet", asks === undefined ? [url] : [url, given]);
        setAsks(undefined);
      } catch (error) {
        const asked = /(pin|passphrase) needed/.exec(error instanceof RefusedCall ? error.message : "")?.[1];
        if (asked === undefined) throw error;
        setAsks(asked as "pin" | "passphrase");
      }
      onChange();
      return undefined;
    });
  };
  const derive = (): void =>
    action.run(async () => {
      const address = await call<string>("personal_deriveAccount", [url, path.trim(), true]);
      onChange();
      return `${path.trim()} is ${address}.`;
    });
  return (
    <li>
      <div class="wallet">
        <strong>
          <Foreign text={url} most={120} />
        </strong>
        <Tag tone={failure ? "bad" : "info"}>
          <Foreign text={status} most={200} />
        </Tag>
      </div>
      {failure && (
        <p class="warning">
          <Foreign text={failure} most={500} />
        </p>
      )}
      {accounts.map(({ address, url: place }) => (
        <p key={place}>
          <Address value={address} isWhole />{" "}
          <span class="muted">
            <Foreign text={place} most={200} />
          </span>
        </p>
      ))}
      <Form
        label={`Open ${url}`}
        action={asks ? "Continue" : "Open"}
        isReady={!action.isRunning}
        onSubmit={open}
      >
        {asks === "pin" && <PinPad value={secret} onInput={setSecret} />}
        {asks === "passphrase" && (
          <Field label="Passphrase of the wallet" value={secret} onInput={setSecret} isSecret />
        )}
      </Form>
      <Form
        label="Derive an account"
        action="Derive"
        isReady={!action.isRunning && path !== ""}
        onSubmit={derive}
      >
        <Field label="Derivation path" value={path} onInput={setPath} />
      </Form>
      <Outcome action={action} />
    </li>
  );
}

function NewKey({ onChange }: { readonly onChange: () => void }) {
  const [passphrase, setPassphrase] = useState("");
  const [again, setAgain] = useState("");
  const action = useAction();
  const make = (): void => {
    const secret = passphrase;
    setPassphrase("");
    setAgain("");
    action.run(async () => {
      const address = await call<string>("personal_newAccount", [secret]);
      onChange();
      return `Made ${address}. Keep a copy of its file and its passphrase.`;
    });
  };
  const isReady = passphrase.length > 0 && passphrase === again && !action.isRunning;
  return (
    <Panel title="New key">
      <Form label="Make a key" action="Make a key" isReady={isReady} onSubmit={make}>
        <Field label="Passphrase" value={passphrase} onInput={setPassphrase} isSecret />
        <Field
          label="The same again"
          value={again}
          onInput={setAgain}
          isSecret
          problem={again !== "" && again !== passphrase ? "The two differ." : undefined}
        />
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
