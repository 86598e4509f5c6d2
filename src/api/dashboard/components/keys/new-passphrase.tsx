import { useState } from "preact/hooks";
import { Field } from "../form.tsx";

/** A new passphrase, typed twice. */
export interface RepeatedPassphrase {
  readonly passphrase: string;
  readonly again: string;
  readonly isReady: boolean;
  write(passphrase: string, again: string): void;
  /** Empties both fields. @returns their content */
  take(): string;
}

/** The state of `NewPassphrase`. */
export function useNewPassphrase(): RepeatedPassphrase {
  const [{ passphrase, again }, set] = useState({ passphrase: "", again: "" });
  const write = (first: string, second: string): void => set({ passphrase: first, again: second });
  return {
    passphrase,
    again,
    isReady: passphrase !== "" && passphrase === again,
    write,
    take() {
      write("", "");
      return passphrase;
    },
  };
}

/** The two fields. @param label - of the first */
export function NewPassphrase({
  label,
  written: { passphrase, again, write },
}: {
  readonly label: string;
  readonly written: RepeatedPassphrase;
}) {
  return (
    <>
      <Field label={label} value={passphrase} onInput={(value) => write(value, again)} isSecret />
      <Field
        label="Repeat the passphrase"
        value={again}
        onInput={(value) => write(passphrase, value)}
        isSecret
        problem={again !== "" && again !== passphrase ? "The passphrases differ." : undefined}
      />
    </>
  );
}
