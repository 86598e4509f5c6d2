import { describe, expect, it } from "vitest";
import { string } from "../../../protocol/codec/json/scalars.ts";
import type { BoundSubscription } from "../engine/registry.ts";
import type { Deliveries, Subscriber } from "./deliveries.ts";
import { Topics } from "./topics.ts";

/** Topics whose events are recorded with their receivers instead of being delivered. */
function createTopics() {
  const sent: unknown[] = [];
  const defects: unknown[] = [];
  const deliveries = {
    add: (text: string, to: readonly { name: string }[]) => sent.push([text, to.map(({ name }) => name)]),
  };
  const topics = new Topics(deliveries as unknown as Deliveries, (error) => defects.push(error));
  const cut: string[] = [];
  const join = (bound: BoundSubscription, name: string, key: string) => {
    const subscriber = { name, deliver() {}, cutOff: () => void cut.push(name) } as Subscriber;
    return topics.join(bound, { key }, key, subscriber);
  };
  return { join, sent, defects, cut };
}

/** A subscription that records how it was begun and ended. */
function createSource(live: boolean, event: unknown = string) {
  const begun: { emit(event: unknown): void; lose(): void; key: unknown }[] = [];
  let ended = 0;
  const bound = {
    declaration: { live, event },
    handler: ({ key }: { key?: unknown }, emit: (event: unknown) => void, lose: () => void) => {
      begun.push({ emit, lose, key });
      return () => void ended++;
    },
  } as unknown as BoundSubscription;
  return { bound, begun, ended: () => ended };
}

describe("equal subscriptions", () => {
  it("are begun once, for all who have joined, and ended with the last of them", () => {
    const { join, sent } = createTopics();
    const { bound, begun, ended } = createSource(true);
    const leaveA = join(bound, "a", "one");
    begun[0]?.emit("1");
    const leaveB = join(bound, "b", "one");
    begun[0]?.emit("2");
    leaveA();
    begun[0]?.emit("3");
    expect(sent).toEqual([
      ['"1"', ["a"]],
      ['"2"', ["a", "b"]],
      ['"3"', ["b"]],
    ]);
    expect([begun.length, ended()]).toEqual([1, 0]);
    leaveB();
    expect(ended()).toBe(1);
    // whoever comes later begins anew
    join(bound, "c", "one");
    expect(begun).toHaveLength(2);
  });

  it("are those to one source with equal arguments", () => {
    const { join } = createTopics();
    const [blocks, logs] = [createSource(true), createSource(true)];
    for (const [name, key] of ["one", "two", "one"].entries()) join(blocks.bound, `${name}`, key);
    join(logs.bound, "log", "one");
    expect(blocks.begun.map(({ key }) => key)).toEqual(["one", "two"]);
    expect(logs.begun).toHaveLength(1);
  });

  it("to a source that is not live are begun for each", () => {
    const { join, sent } = createTopics();
    const { bound, begun, ended } = createSource(false);
    const leave = join(bound, "a", "one");
    join(bound, "b", "one");
    begun[1]?.emit("1");
    leave();
    expect([begun.length, ended(), sent]).toEqual([2, 1, [['"1"', ["b"]]]]);
  });

  it("that have lost events cut off all who share them, and nobody else", () => {
    const { join, cut } = createTopics();
    const { bound, begun } = createSource(true);
    for (const name of ["a", "b"]) join(bound, name, "one");
    join(bound, "c", "other");
    begun[0]?.lose();
    expect(cut).toEqual(["a", "b"]);
  });
});

it("reports an event that cannot be encoded, and goes on", () => {
  const { join, sent, defects } = createTopics();
  const failure = new Error("no text");
  const encode = (event: unknown) => {
    if (event === "broken") throw failure;
    return event;
  };
  const { bound, begun } = createSource(true, { encode });
  join(bound, "a", "one");
  begun[0]?.emit("broken");
  begun[0]?.emit("1");
  expect(defects).toEqual([failure]);
  expect(sent).toEqual([['"1"', ["a"]]]);
});
