import { useState } from "preact/hooks";

/** Something that a user does: whether it is under way, and what came of it. */
export interface Action {
  readonly isRunning: boolean;
  readonly error: Error | undefined;
  /** What was said of the last one that succeeded. */
  readonly said: string | undefined;
  /** Runs it, unless one is under way. @param work - resolves with what is said of its success */
  run(work: () => Promise<string | undefined>): void;
}

/** Runs what buttons do, one at a time, and keeps how it ended. */
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
