import { expect, it } from "vitest";
import type { createJournal } from "../../../ledger/state/journal/journal.ts";
import { edited } from "./dev-state.ts";

it("edits yield before each when the time slice is used up, as decoding the first may have used it", async () => {
  const order: string[] = [];
  const pace = {
    isDue: () => true,
    yield: async () => {
      order.push("yield");
    },
  };
  const below = { account: () => undefined, slot: () => 0n } as unknown as Parameters<
    typeof createJournal
  >[0];
  const edit = (name: string) => () => {
    order.push(name);
  };
  await edited(below as Parameters<typeof edited>[0], [edit("first"), edit("second")], pace);
  expect(order.slice(0, 4)).toEqual(["yield", "first", "yield", "second"]);
});
