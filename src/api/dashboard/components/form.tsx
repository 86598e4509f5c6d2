import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { useOverview } from "../kernel/overview.ts";
import { Facts, Problem } from "./panel.tsx";

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
  readonly hint?: string;
  /** A passphrase is not shown, and never kept by the browser. */
  readonly isSecret?: boolean;
  readonly isLong?: boolean;
}

/** A labelled input or text area. */
export function Field({
  label,
  value,
  onInput,
  problem,
  hint,
  isSecret = false,
  isLong = false,
}: FieldProps) {
  const id = useId();
  const shared = {
    id,
    value,
    spellcheck: false,
    autocomplete: isSecret ? "new-password" : "off",
    "aria-invalid": problem !== undefined,
    "aria-describedby": `${id}-note`,
  } as const;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {isLong ? (
        <textarea {...shared} rows={4} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
      ) : isSecret ? (
        <input {...shared} type="password" onInput={({ currentTarget }) => onInput(currentTarget.value)} />
      ) : (
        <input {...shared} type="text" onInput={({ currentTarget }) => onInput(currentTarget.value)} />
      )}
      <small id={`${id}-note`} class={problem === undefined ? "muted" : "wrong"}>
        {problem ?? hint}
      </small>
    </div>
  );
}

/**
 * A labelled selection of one option.
 */
export function Choice({
  label,
  value,
  options,
  onInput,
}: Pick<FieldProps, "label" | "value" | "onInput"> & {
  readonly options: readonly (readonly [string, string])[];
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onInput={({ currentTarget }) => onInput(currentTarget.value)}>
        {options.map(([word, text]) => (
          <option key={word} value={word}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Fields with a submit button. */
export function Form({
  label,
  action,
  isReady = true,
  onSubmit,
  children,
}: {
  readonly label: string;
  readonly action: string;
  readonly isReady?: boolean;
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <form
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onSubmit();
      }}
    >
      {children}
      <button type="submit" class="primary" disabled={!isReady}>
        {action}
      </button>
    </form>
  );
}

/**
 * Asks for confirmation before anything is sent. On a chain that is not for development, its id has to be typed.
 * @param send - what is confirmed; its error is shown
 */
export function ConfirmPanel({
  what,
  facts,
  send,
  onClose,
  children,
}: {
  readonly what: string;
  readonly facts: readonly (readonly [string, ComponentChildren])[];
  readonly send: () => Promise<void>;
  readonly onClose: () => void;
  /** Fields beside the facts, such as a passphrase. */
  readonly children?: ComponentChildren;
}) {
  const { isDevelopment, chainId } = useOverview();
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<Error>();
  const [isSending, setSending] = useState(false);
  const isReady = !isSending && (isDevelopment || typed.trim() === String(chainId));
  const confirm = (): void => {
    setSending(true);
    send()
      .then(onClose)
      .catch((failure: Error) => {
        setError(failure);
        setSending(false);
      });
  };
  return (
    <section class="confirm" role="alertdialog" aria-label={`Confirm: ${what}`}>
      <h3>{what}</h3>
      <Facts entries={facts} />
      <Form
        label="Confirmation"
        action={isSending ? "Sending…" : "Confirm"}
        isReady={isReady}
        onSubmit={confirm}
      >
        {children}
        {!isDevelopment && (
          <Field
            label={`This is not a development chain. Type its id, ${chainId}, to confirm`}
            value={typed}
            onInput={setTyped}
          />
        )}
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </Form>
      {error && <Problem error={error} />}
    </section>
  );
}
