import { describe, expect, it } from "vitest";
import { UnsentBytes } from "../../../platform/http/budget.ts";
import type { Pace } from "../../../platform/runtime/turns/pace.ts";
import { HeavyReads } from "../services/heavy-reads.ts";
import { BoundedText } from "./bounded-text.ts";
import { Draft } from "./draft.ts";

const MIB = 1024 * 1024;
const caller = { signal: new AbortController().signal };

describe("an answer in the making", () => {
  it("counts among what clients have yet to read, until it is handed over", () => {
    const unsent = new UnsentBytes(MIB);
    const text = new BoundedText(new Draft(unsent));
    text.add("a".repeat(70_000));
    text.add("b".repeat(70_000));
    expect(unsent.total).toBe(140_000);
    expect(text.finish().length).toBe(140_000);
    expect(unsent.total).toBe(0);
  });

  it("is given up where all answers together are too many and its client has the most of them", () => {
    const unsent = new UnsentBytes(10);
    const [first, second] = [new Draft(unsent), new Draft(unsent)];
    first.addText("123456");
    second.addText("1234");
    second.addText("5");
    expect([unsent.total, unsent.cut]).toEqual([5, 1]);
    expect(() => first.addText("7")).toThrow("too many answers wait to be read");
    expect(first.take()).toEqual([]);
    second.addText("6");
    expect(unsent.total).toBe(6);
  });

  it("is one of several of its connection, which give up together", () => {
    const unsent = new UnsentBytes(10);
    const connection = {};
    const drafts = [new Draft(unsent, connection), new Draft(unsent, connection), new Draft(unsent, {})];
    for (const draft of drafts.slice(0, 2)) draft.addText("123");
    expect(() => drafts[2]?.addText("12345")).not.toThrow();
    expect(unsent.total).toBe(5);
    for (const draft of drafts.slice(0, 2)) expect(() => draft.addText("4")).toThrow("too many answers");
  });

  it("is counted while a reading waits for its turn, and let go when that ends without a result", async () => {
    const unsent = new UnsentBytes(MIB);
    let goOn: () => void = () => {};
    const slice = { isDue: () => true, giveWay: () => new Promise<void>((resolve) => (goOn = resolve)) };
    const reads = new HeavyReads(slice, { unsent });
    const reading = reads.run(caller, async (pace: Pace, draft: Draft) => {
      new BoundedText(draft).add("a".repeat(70_000));
      await pace.giveWay();
      throw new Error("nothing was found");
    });
    await expect.poll(() => unsent.total).toBe(70_000);
    goOn();
    await expect(reading).rejects.toThrow("nothing was found");
    expect(unsent.total).toBe(0);
  });
});
