import { useState } from "preact/hooks";
import { Field } from "../form.tsx";

/** A passphrase that is written twice before it is taken. */
export interface WrittenTwice {
  readonly passphrase: string;
  readonly again: string;
  readonly isReady: boolean;
  write(passphrase: string, again: string): void;
  /** Empties both fields. @returns what stood in them */
  take(): string;
}

/** Keeps the two fields of `NewPassphrase`. */
export function useNewPassphrase(): WrittenTwice {
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
  readonly written: WrittenTwice;
}) {
  return (
    <>
      <Field label={label} value={passphrase} onInput={(value) => write(value, again)} isSecret />
      <Field
        label="The same again"
        value={again}
        onInput={(value) => write(passphrase, value)}
        isSecret
        problem={again !== "" && again !== passphrase ? "The two differ." : undefined}
      />
    </>
  );
}
