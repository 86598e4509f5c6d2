import type { StateStore } from "./state.ts";

/**
 * Runs work on the newest state of a store, which others may change meanwhile.
 * @param action - gets a function that tells whether the state is still the one it began on
 * @returns undefined, instead of its result or error, if it is not
 */
export async function unlessStale<T>(
  store: Pick<StateStore, "watch">,
  action: (isCurrent: () => boolean) => T | Promise<T>,
): Promise<T | undefined> {
  const isCurrent = store.watch();
  try {
    const done = await action(isCurrent);
    return isCurrent() ? done : undefined;
  } catch (error) {
    if (isCurrent()) throw error;
    return undefined;
  }
}
