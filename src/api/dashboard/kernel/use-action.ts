import { useState } from "preact/hooks";

/** An action of the user: whether it is running, and its result. */
export interface Action {
  readonly isRunning: boolean;
  readonly error: Error | undefined;
  /** Message of the last successful one. */
  readonly said: string | undefined;
  /** Runs it, unless one is running. @param work - resolves with a message, if any */
  run(work: () => Promise<string | undefined>): void;
}

/** Runs actions of buttons one at a time, and keeps the last result. */
export function useAction(): Action {
  const [state, setState] = useState<Omit<Action, "run">>({
    ...{ isRunning: false, error: undefined, said: undefined },
  });
  const run = (work: () => Promise<string | undefined>): void => {
    if (state.isRunning) return;
    setState({ isRunning: true, error: undefined, said: undefined });
    work()
      .then((said) => setState({ isRunning: false, error: undefined, said }))
      .catch((error: Error) => setState({ isRunning: false, error, said: undefined }));
  };
  return { ...state, run };
}
