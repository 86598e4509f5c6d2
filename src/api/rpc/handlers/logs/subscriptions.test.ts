import { expect, it } from "vitest";
import type { SyncProgress } from "../../../../network/sync/synchroniser.ts";
import type { NamespaceView } from "../chain/views.ts";
import { syncingResult } from "../fees/fees.ts";
import { type SubscriptionDeps, subscriptionHandlers } from "./subscriptions.ts";

const progressOf = (startingBlock: bigint, highestBlock: bigint): SyncProgress => ({
  ...{ startingBlock, highestBlock, currentBlock: startingBlock },
});

/** A subscription to `syncing` on a node whose synchronisation the test controls. */
function subscribed(running?: SyncProgress) {
  let report = (_: SyncProgress | undefined): void => {};
  const sync = {
    progress: () => running,
    onChange(listener: typeof report) {
      report = listener;
      return () => {};
    },
  };
  const events: unknown[] = [];
  const { syncing } = subscriptionHandlers({ sync } as unknown as SubscriptionDeps, {} as NamespaceView);
  syncing(
    {},
    (event) => events.push(event),
    () => {},
  );
  return { events, report: (progress?: SyncProgress) => report(progress) };
}

// measured on reference node v2.2.1
it("a subscription to syncing shows the start with the members of a Go structure, and the end as false", () => {
  const { events, report } = subscribed();
  report(progressOf(7n, 9n));
  report();
  const status = { StartingBlock: 7, CurrentBlock: 7, HighestBlock: 9, PulledStates: 0, KnownStates: 0 };
  expect(JSON.stringify(events)).toBe(JSON.stringify([{ syncing: true, status }, false]));
});

it("a node that downloads each next block does not synchronise", () => {
  const next = progressOf(7n, 8n);
  const { events, report } = subscribed(next);
  report();
  report(progressOf(8n, 9n));
  report();
  expect([events, syncingResult(next)]).toEqual([[], false]);
  const ahead = progressOf(7n, 9n);
  const late = subscribed(ahead);
  late.report();
  expect([late.events, syncingResult(ahead)]).toEqual([
    [false],
    expect.objectContaining({ highestBlock: "0x9" }),
  ]);
});
