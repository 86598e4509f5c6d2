import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { NoResponse } from "./api.ts";
import { onReturn } from "./live.ts";

/** The state of a call: loading, result or error. */
export interface Called<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  /** Repeats the call; the current value stays until the response arrives. */
  reload(): void;
}

/** Longest pause between two calls for the same value, in milliseconds. */
const MAX_PAUSE = 5_000;

/**
 * Calls the node when a screen opens, and again when `key` changes. One call is under way at a time: whatever changes meanwhile
 * leads to one further call, after a pause as long as the last one took, and not while the page is hidden. So a page keeps the
 * node busy for half the time at most, however fast its chain grows. What got no response is asked for again once the stream is
 * back.
 */
export function useCall<T>(ask: () => Promise<T>, key: string): Called<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: Error }>({ key: "" });
  const [round, setRound] = useState(0);
  const asking = useRef(ask);
  asking.current = ask;
  const before = useRef<Promise<unknown>>(Promise.resolve());
  const wanted = useRef<string | undefined>(undefined);
  useEffect(() => {
    let isNewest = true;
    wanted.current = key;
    before.current = before.current.then(async () => {
      if (!isNewest) return undefined;
      const start = performance.now();
      const answered = await asking.current().then(
        (data) => ({ key, data }),
        (error: Error) => ({ key, error }),
      );
      if (wanted.current === key) setState(answered);
      return pause(Math.min(MAX_PAUSE, performance.now() - start));
    });
    return () => {
      isNewest = false;
      wanted.current = undefined;
    };
  }, [key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const isCurrent = state.key === key;
  const isUnanswered = isCurrent && state.error instanceof NoResponse;
  useEffect(() => (isUnanswered ? onReturn(reload) : undefined), [isUnanswered, reload]);
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: !isCurrent,
    reload,
  };
}

/** Waits, and longer while nobody sees the page. */
async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => window.setTimeout(resolve, milliseconds));
  while (document.hidden)
    await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
}
