import { createStateStore } from "../../state/create-state-store.ts";
import type { StateStore } from "../../state/state.ts";

/** A store whose records reach the disk only when `write` is called. */
export async function slowStore(): Promise<{ store: StateStore; write: () => void }> {
  const store = await createStateStore({ engine: "memory" });
  const waiting: (() => void)[] = [];
  const slow: StateStore = Object.create(store, {
    head: { get: () => store.head },
    stageInSteps: {
      *value(changes: Parameters<StateStore["stage"]>[0]) {
        const staged = yield* store.stageInSteps(changes);
        const written = (number: bigint) =>
          number > 0n ? new Promise<void>((resolve) => waiting.push(resolve)) : Promise.resolve();
        const slowly: Pick<typeof staged, "commit" | "commitInSteps"> = {
          commit(block, rows) {
            staged.commit(block, rows);
            return { durable: written(block.number) };
          },
          *commitInSteps(block, rows) {
            yield* staged.commitInSteps(block, rows);
            return { durable: written(block.number) };
          },
        };
        return { root: staged.root, isCurrent: true, ...slowly };
      },
    },
  });
  for (const name of [
    "get",
    "range",
    "latest",
    "at",
    "write",
    "rewind",
    "rewindInSteps",
    "stage",
    "close",
  ] as const) {
    Object.defineProperty(slow, name, { value: (store[name] as CallableFunction).bind(store) });
  }
  return { store: slow, write: () => waiting.shift()?.() };
}
