import { useState } from "preact/hooks";
import { call, RefusedCall } from "../../kernel/api.ts";
import type { WalletJson } from "../../kernel/keys.ts";
import { useAction } from "../../kernel/use-action.ts";
import { Field, Form } from "../form.tsx";
import { Outcome } from "../outcome.tsx";
import { Address, Foreign, Tag } from "../text.tsx";
import { PinPad } from "./pin-pad.tsx";

const DEFAULT_PATH = "m/44'/8217'/0'/0/0";

/** A Ledger or Trezor: opened with the secrets it requests, and its accounts derived. */
export function HardwareWallet({
  wallet,
  onChange,
}: {
  readonly wallet: WalletJson;
  readonly onChange: () => void;
}) {
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
          <Foreign text={url} maxLength={120} />
        </strong>
        <Tag tone={failure ? "bad" : "info"}>
          <Foreign text={status} maxLength={200} />
        </Tag>
      </div>
      {failure && (
        <p class="warning">
          <Foreign text={failure} maxLength={500} />
        </p>
      )}
      {accounts.map(({ address, url: place }) => (
        <p key={place}>
          <Address value={address} isWhole />{" "}
          <span class="muted">
            <Foreign text={place} maxLength={200} />
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
