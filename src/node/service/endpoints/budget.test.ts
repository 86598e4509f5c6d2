import { totalmem } from "node:os";
import { expect, it } from "vitest";
import { createNodeBudget } from "./budget.ts";

it("keeps descriptors for IPC, database and files, and gives clients some even where there are few", () => {
  const connections = [100_000, 1024, 500, 449, 448, 64].map(
    (files) => createNodeBudget({}, files).connections.most,
  );
  expect(connections).toEqual([99_616, 640, 116, 65, 64, 64]);
});

it("reads how many the process may have", () => {
  const { connections } = createNodeBudget();
  expect(connections.most).toBeGreaterThanOrEqual(64);
  expect(connections.most).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
  expect(Number.isSafeInteger(connections.most)).toBe(true);
});

it("buffers at most an eighth of the machine's memory and 512 MiB, or what it is told", () => {
  const most = Math.min(512 * 2 ** 20, totalmem() / 8);
  for (const [limits, limit] of [
    [{}, most],
    [{ unsent: 1000 }, 1000],
  ] as const) {
    let cuts = 0;
    const holder = { cutOff: () => void cuts++ };
    const { unsent } = createNodeBudget(limits);
    unsent.set(holder, limit);
    expect(cuts).toBe(0);
    unsent.set(holder, limit + 1);
    expect(cuts).toBe(1);
  }
});

it("has the given number of subscriptions, 10,000 by default", () => {
  expect(createNodeBudget().subscriptions.most).toBe(10_000);
  expect(createNodeBudget({ subscriptions: 7 }).subscriptions.most).toBe(7);
  const answer = Number.POSITIVE_INFINITY;
  expect(createNodeBudget().times).toEqual({ head: 10, body: 30, idle: 120, unread: 30, answer });
  const limits = { headSeconds: 1, bodySeconds: 2, idleSeconds: 3, unreadSeconds: 4, answerSeconds: 5 };
  const { times, unsent } = createNodeBudget(limits);
  expect(times).toEqual({ head: 1, body: 2, idle: 3, unread: 4, answer: 5 });
  expect(unsent.stalledSeconds).toBe(4);
});

it("has the other amounts that it is given", () => {
  const amounts = { bodies: 1, calls: 2, filters: 3, filterBytes: 4, collected: 5, webSockets: 6 };
  expect(createNodeBudget({ ...amounts, connections: 7 })).toMatchObject(
    Object.fromEntries(Object.entries(amounts).map(([name, most]) => [name, { most }])),
  );
});
