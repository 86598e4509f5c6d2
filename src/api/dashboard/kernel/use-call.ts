import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** The state of a call: loading, result or error. */
export interface Called<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  /** Repeats the call; the current value stays until the response arrives. */
  reload(): void;
}

/** Calls the node when a screen opens, and again when `key` changes. Stale responses are dropped. */
export function useCall<T>(ask: () => Promise<T>, key: string): Called<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: Error }>({ key: "" });
  const [round, setRound] = useState(0);
  const asking = useRef(ask);
  asking.current = ask;
  useEffect(() => {
    let isWanted = true;
    asking
      .current()
      .then((data) => isWanted && setState({ key, data }))
      .catch((error) => isWanted && setState({ key, error }));
    return () => {
      isWanted = false;
    };
  }, [key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const isCurrent = state.key === key;
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: !isCurrent,
    reload,
  };
}
