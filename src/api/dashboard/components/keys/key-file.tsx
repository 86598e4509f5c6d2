import { useState } from "preact/hooks";
import type { UnlockedAccount } from "../../../rpc/spec/dashboard/desk-wire.ts";
import { call } from "../../kernel/api.ts";
import { duration } from "../../kernel/format.ts";
import type { WalletJson } from "../../kernel/keys.ts";
import { node } from "../../kernel/node.ts";
import { type Action, useAction } from "../../kernel/use-action.ts";
import { Field, Form } from "../form.tsx";
import { Outcome } from "../outcome.tsx";
import { Address, Foreign, Tag } from "../text.tsx";
import { NewPassphrase, useNewPassphrase } from "./new-passphrase.tsx";

/** Seconds for which an account is unlocked; an idle session locks it sooner. */
const UNLOCK_SECONDS = 300;

/** A key of this node, with its actions. */
export function KeyPanel({
  wallet,
  unlocked,
  onChange,
}: {
  readonly wallet: WalletJson;
  /** Undefined while it is locked. */
  readonly unlocked: UnlockedAccount | undefined;
  readonly onChange: () => void;
}) {
  const { url, failure, accounts } = wallet;
  const address = accounts?.[0]?.address ?? "";
  const [shown, setShown] = useState<"unlock" | "change">();
  const action = useAction();
  const isUnlocked = unlocked !== undefined;
  const toggle = (form: "unlock" | "change"): void => setShown(shown === form ? undefined : form);
  const done = (): void => {
    setShown(undefined);
    onChange();
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
        <Tag tone={isUnlocked ? "warn" : "good"}>{said(unlocked)}</Tag>
        {isUnlocked ? (
          <button type="button" class="small" onClick={lock}>
            Lock
          </button>
        ) : (
          <button
            type="button"
            class="small"
            aria-expanded={shown === "unlock"}
            onClick={() => toggle("unlock")}
          >
            Unlock…
          </button>
        )}
        <button
          type="button"
          class="small"
          aria-expanded={shown === "change"}
          onClick={() => toggle("change")}
        >
          Passphrase…
        </button>
        <a href={`#/accounts/${address}/key`}>Account key…</a>
        <span class="muted file">
          <Foreign text={url} maxLength={300} />
        </span>
      </div>
      {failure && (
        <p class="warning">
          <Foreign text={failure} maxLength={500} />
        </p>
      )}
      {shown === "unlock" && !isUnlocked && <Unlock address={address} action={action} onDone={done} />}
      {shown === "change" && <ChangePassphrase address={address} action={action} onDone={done} />}
      <Outcome action={action} />
    </li>
  );
}

function said(unlocked: UnlockedAccount | undefined): string {
  if (unlocked === undefined) return "locked";
  return unlocked.seconds === null ? "unlocked" : `unlocked, ${duration(unlocked.seconds)} left`;
}

interface KeyFormProps {
  readonly address: string;
  readonly action: Action;
  readonly onDone: () => void;
}

function Unlock({ address, action, onDone }: KeyFormProps) {
  const [passphrase, setPassphrase] = useState("");
  const unlock = (): void => {
    const secret = passphrase;
    setPassphrase("");
    action.run(async () => {
      const isUnlocked = await call<boolean>("personal_unlockAccount", [address, secret, UNLOCK_SECONDS]);
      if (!isUnlocked)
        throw new Error("The passphrase is wrong, or this node does not let a page unlock accounts.");
      onDone();
      return "Unlocked for 5 minutes; locked again after a minute without activity here.";
    });
  };
  return (
    <Form label="Unlock" action="Unlock" isReady={!action.isRunning} onSubmit={unlock}>
      <Field
        label="Passphrase"
        value={passphrase}
        onInput={setPassphrase}
        isSecret
        hint="Sent once to the node on this machine, and cleared."
      />
    </Form>
  );
}

/** Re-encrypts a key file. */
function ChangePassphrase({ address, action, onDone }: KeyFormProps) {
  const [old, setOld] = useState("");
  const next = useNewPassphrase();
  const change = (): void => {
    const [from, to] = [old, next.take()];
    setOld("");
    action.run(async () => {
      await node.changePassphrase(address, from, to);
      onDone();
      return "The passphrase has been changed. Copies of the key made before still open with the old one.";
    });
  };
  return (
    <Form
      label="Change the passphrase"
      action="Change the passphrase"
      isReady={next.isReady && !action.isRunning}
      onSubmit={change}
    >
      <Field label="Current passphrase" value={old} onInput={setOld} isSecret />
      <NewPassphrase label="New passphrase" written={next} />
    </Form>
  );
}
