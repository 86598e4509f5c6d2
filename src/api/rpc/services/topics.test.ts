import { expect, it } from "vitest";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import type { BoundSubscription } from "../engine/registry.ts";
import { Deliveries } from "./deliveries.ts";
import { Topics } from "./topics.ts";

it("cuts off all who share a subscription that has lost events, and nobody else", () => {
  const topics = new Topics(new Deliveries(new TimeSlice(), () => {}), () => {});
  const loses: (() => void)[] = [];
  const bound = {
    declaration: { live: true },
    handler: (...[, , lose]: Parameters<BoundSubscription["handler"]>) => {
      loses.push(lose);
      return () => {};
    },
  } as unknown as BoundSubscription;
  const cut: string[] = [];
  const join = (name: string, key: string) =>
    topics.join(bound, {}, key, { deliver: () => {}, cutOff: () => void cut.push(name) });
  for (const name of ["a", "b"]) join(name, "one");
  join("c", "other");
  expect(loses).toHaveLength(2);
  loses[0]?.();
  expect(cut).toEqual(["a", "b"]);
});
