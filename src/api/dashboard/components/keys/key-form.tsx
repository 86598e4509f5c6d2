import { useState } from "preact/hooks";
import { call } from "../../kernel/api.ts";
import {
  emptyKey,
  emptyWeighted,
  isPublicKey,
  type KeyDraft,
  type KeyKind,
  MAX_KEYS,
} from "../../kernel/key-draft.ts";
import { node } from "../../kernel/node.ts";
import { useAction } from "../../kernel/use-action.ts";
import { useCall } from "../../kernel/use-call.ts";
import { Choice, Field } from "../form.tsx";
import { Outcome } from "../outcome.tsx";
import { ROLES } from "./key-tree.tsx";

const KINDS: readonly (readonly [KeyKind, string])[] = [
  ["public", "Public: one key"],
  ["multisig", "Multisig: several keys with weights"],
  ["roles", "Role based: a key for each role"],
  ["legacy", "Legacy: the key of the address"],
  ["fail", "Fail: nobody can sign"],
];

interface KeyFormProps {
  /** Distinguishes the fields of several forms. */
  readonly name: string;
  readonly value: KeyDraft;
  readonly onInput: (draft: KeyDraft) => void;
  /** Whether it is the key of one role: it may stay unchanged, and has no roles itself. */
  readonly isRole?: boolean;
}

/** Builds an account key of any type. */
export function KeyForm({ name, value, onInput, isRole = false }: KeyFormProps) {
  const kinds = isRole
    ? [["same", "Unchanged"] as const, ...KINDS.filter(([kind]) => kind !== "roles")]
    : KINDS;
  const change = (part: Partial<KeyDraft>): void => onInput({ ...value, ...part });
  return (
    <div class="key-form">
      <Choice
        label={`${name}: type`}
        value={value.kind}
        options={kinds}
        onInput={(kind) =>
          change({
            kind: kind as KeyKind,
            ...(kind === "roles" && value.roles.length === 0 && { roles: emptyKey("roles").roles }),
          })
        }
      />
      {value.kind === "public" && (
        <PublicKeyField
          label={`${name}: public key`}
          value={value.publicKey}
          onInput={(publicKey) => change({ publicKey })}
        />
      )}
      {value.kind === "multisig" && <Weights name={name} value={value} change={change} />}
      {value.kind === "roles" &&
        value.roles.map((role, i) => (
          <fieldset key={ROLES[i]}>
            <legend>{ROLES[i]}</legend>
            <KeyForm
              name={ROLES[i] as string}
              value={role}
              onInput={(next) => change({ roles: value.roles.map((old, j) => (i === j ? next : old)) })}
              isRole
            />
          </fieldset>
        ))}
    </div>
  );
}

function Weights({
  name,
  value: { threshold, keys },
  change,
}: {
  readonly name: string;
  readonly value: KeyDraft;
  readonly change: (part: Partial<KeyDraft>) => void;
}) {
  const sum = keys.reduce((weights, { weight }) => weights + (Number(weight) || 0), 0);
  const isReachable = sum >= Number(threshold);
  return (
    <>
      <Field
        label={`${name}: threshold`}
        value={threshold}
        onInput={(text) => change({ threshold: text })}
        problem={isReachable ? undefined : `Cannot be reached: all weights add up to ${sum}.`}
        hint={`The weights add up to ${sum}.`}
      />
      {keys.map((entry, i) => (
        <div key={i} class="weighted">
          <PublicKeyField
            label={`${name}: key ${i + 1}`}
            value={entry.publicKey}
            onInput={(publicKey) =>
              change({ keys: keys.map((old, j) => (i === j ? { ...old, publicKey } : old)) })
            }
          />
          <Field
            label={`Weight ${i + 1}`}
            value={entry.weight}
            onInput={(weight) => change({ keys: keys.map((old, j) => (i === j ? { ...old, weight } : old)) })}
          />
          <button
            type="button"
            class="small"
            aria-label={`Remove key ${i + 1}`}
            disabled={keys.length === 1}
            onClick={() => change({ keys: keys.filter((_, j) => i !== j) })}
          >
            ✕
          </button>
        </div>
      ))}
      <button
        type="button"
        class="small"
        disabled={keys.length >= MAX_KEYS}
        onClick={() => change({ keys: [...keys, emptyWeighted()] })}
      >
        Add a key
      </button>
    </>
  );
}

/** A public key, typed, or taken from an account of this node. */
function PublicKeyField({
  label,
  value,
  onInput,
}: {
  readonly label: string;
  readonly value: string;
  readonly onInput: (publicKey: string) => void;
}) {
  const [account, setAccount] = useState("");
  const own = useCall(() => call<readonly string[]>("kaia_accounts"), "own");
  const action = useAction();
  const take = (address: string): void => {
    setAccount(address);
    if (address !== "")
      action.run(async () => {
        onInput(await node.publicKey(address));
        return undefined;
      });
  };
  return (
    <div>
      <Field
        label={label}
        value={value}
        onInput={onInput}
        problem={value === "" || isPublicKey(value) ? undefined : "A public key is 33 or 65 bytes as hex."}
      />
      {own.data && own.data.length > 0 && (
        <Choice
          label={`${label}, from an account of this node`}
          value={account}
          onInput={take}
          options={[["", "take it from an account…"], ...own.data.map((one) => [one, one] as const)]}
        />
      )}
      <Outcome action={action} />
    </div>
  );
}
