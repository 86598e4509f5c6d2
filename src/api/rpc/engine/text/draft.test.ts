import { describe, expect, it } from "vitest";
import { UnsentBytes } from "../../../../platform/http/budget.ts";
import type { Pace } from "../../../../platform/runtime/turns/pace.ts";
import { HeavyReads } from "../../services/heavy-reads.ts";
import { BoundedText } from "./bounded-text.ts";
import { Draft } from "./draft.ts";

const MIB = 1024 * 1024;
const caller = { signal: new AbortController().signal };

describe("a response being built", () => {
  it("counts as unread until it is taken", () => {
    const unsent = new UnsentBytes(MIB);
    const text = new BoundedText(new Draft(unsent));
    text.add("a".repeat(70_000));
    text.add("b".repeat(70_000));
    expect(unsent.total).toBe(140_000);
    expect(text.finish().length).toBe(140_000);
    expect(unsent.total).toBe(0);
  });

  it("uses memory that returns to the system, from its first megabyte on", () => {
    const draft = new Draft();
    for (let added = 0; added < 40; added++) draft.addText("a".repeat(65_536));
    const isMapped = draft.take().map(({ buffer }) => (buffer as { resizable?: boolean }).resizable);
    expect(isMapped).toEqual(Array.from({ length: 40 }, (_, i) => i >= 15));
  });

  it("is discarded when all responses exceed the limit and its client holds the most", () => {
    const unsent = new UnsentBytes(10);
    const [first, second] = [new Draft(unsent), new Draft(unsent)];
    first.addText("123456");
    second.addText("1234");
    second.addText("5");
    expect([unsent.total, unsent.cut]).toEqual([5, 1]);
    expect(() => first.addText("7")).toThrow("too many responses wait to be read");
    expect(first.take()).toEqual([]);
    second.addText("6");
    expect(unsent.total).toBe(6);
  });

  it("is discarded together with the other responses of its connection", () => {
    const unsent = new UnsentBytes(10);
    const connection = {};
    const drafts = [new Draft(unsent, connection), new Draft(unsent, connection), new Draft(unsent, {})];
    for (const draft of drafts.slice(0, 2)) draft.addText("123");
    expect(() => drafts[2]?.addText("12345")).not.toThrow();
    expect(unsent.total).toBe(5);
    for (const draft of drafts.slice(0, 2)) expect(() => draft.addText("4")).toThrow("too many responses");
  });

  it("is counted while a read waits for its turn, and released when the read fails", async () => {
    const unsent = new UnsentBytes(MIB);
    let goOn: () => void = () => {};
    const slice = { isDue: () => true, yield: () => new Promise<void>((resolve) => (goOn = resolve)) };
    const reads = new HeavyReads(slice, { unsent });
    const reading = reads.run(caller, async (pace: Pace, draft: Draft) => {
      new BoundedText(draft).add("a".repeat(70_000));
      await pace.yield();
      throw new Error("nothing was found");
    });
    await expect.poll(() => unsent.total).toBe(70_000);
    goOn();
    await expect(reading).rejects.toThrow("nothing was found");
    expect(unsent.total).toBe(0);
  });
});
