import { expect, it } from "vitest";
import { createBudget, DEFAULT_AMOUNTS } from "./budget.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

const MIB = 1024 * 1024;

it("has the limits that are given, and the default ones besides", () => {
  const { connections, subscriptions } = createBudget({ connections: 7 });
  expect([connections.most, subscriptions.most]).toEqual([7, DEFAULT_AMOUNTS.subscriptions]);
  const others = createBudget({ subscriptions: 8, unsent: 100 });
  expect([others.connections.most, others.subscriptions.most]).toEqual([10_000, 8]);
  const cut: string[] = [];
  const holder = { cutOff: () => void cut.push("all") };
  others.unsent.set(holder, 100);
  expect(cut).toEqual([]);
  others.unsent.set(holder, 101);
  expect(cut).toEqual(["all"]);
});

it("has room for many clients with the longest requests and responses, but not for a gigabyte", () => {
  const { bodies, collected, filterBytes, unsent } = createBudget();
  expect([50, 100].map((clients) => bodies.has(clients * DEFAULT_LIMITS.body))).toEqual([true, false]);
  unsent.set({ cutOff: () => expect.fail("cut off") }, 10 * DEFAULT_LIMITS.batchAnswer);
  expect([collected.has(100 * MIB), filterBytes.has(50 * MIB)]).toEqual([true, true]);
  for (const allowance of [bodies, collected, filterBytes]) expect(allowance.has(1024 * MIB)).toBe(false);
});

it("is a new one each time", () => {
  const [one, other] = [createBudget(), createBudget()];
  one.calls.take(5);
  expect([one.calls.used, other.calls.used]).toEqual([5, 0]);
});
