import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnsentBytes } from "../../../platform/http/budget.ts";
import { mergeSort } from "../../../platform/runtime/merge-sort.ts";
import { watchedByMany } from "../../../platform/runtime/signals.ts";
import { type Pace, runSync } from "../../../platform/runtime/turns/pace.ts";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import { HeavyReads } from "./heavy-reads.ts";
import type { PlaceLimits } from "./reading-places.ts";

const staying = { signal: new AbortController().signal };

/** Limits of short reads; none becomes long. */
const short = (places: Partial<PlaceLimits>) => ({
  short: { atOnce: 16, atOnceOfOne: 16, waiting: 256, waitingPerClient: 256, ...places },
  longAfterMs: Number.POSITIVE_INFINITY,
});

async function work(pace: Pace, turns: number): Promise<string> {
  for (let i = 0; i < turns; i++) await pace.yield();
  return "done";
}

describe("heavy reads", () => {
  it("return synchronously within one time slice", () => {
    expect(new HeavyReads(new TimeSlice()).run(staying, () => 7)).toBe(7);
  });

  it("are limited in number, then queued, then rejected as busy", async () => {
    const reads = new HeavyReads(new TimeSlice(), short({ atOnce: 2, waiting: 1 }));
    const started = [1, 2, 3, 4].map(() => reads.run(staying, (pace) => work(pace, 3)));
    expect(reads.use).toEqual({ running: 2, waiting: 1 });
    const ends = await Promise.allSettled(started);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected"]);
    const message = "too many reads in progress: retry later";
    expect(ends[3]).toMatchObject({ reason: { rpcCode: -32005, message } });
    expect(reads.use).toEqual({ running: 0, waiting: 0 });
  });

  it("end when the caller disconnects, even while queued, and release their place", async () => {
    const reads = new HeavyReads(new TimeSlice(), short({ atOnce: 1, waiting: 1 }));
    const caller = new AbortController();
    const first = reads.run({ signal: caller.signal }, (pace) => work(pace, 1_000_000));
    const second = reads.run({ signal: caller.signal }, (pace) => work(pace, 1));
    setImmediate(() => caller.abort());
    const ends = [first, second].map((end) => expect(end).rejects.toThrow("the caller has disconnected"));
    await Promise.all(ends);
    expect(reads.use).toEqual({ running: 0, waiting: 0 });
  });

  it("leave the queue when their caller disconnects", async () => {
    const reads = new HeavyReads(new TimeSlice(), short({ atOnce: 1, waiting: 256, waitingPerClient: 256 }));
    const held = new AbortController();
    const holding = reads.run({ signal: held.signal }, (pace) => work(pace, 1_000_000));
    const caller = watchedByMany(new AbortController());
    const waiting = Array.from({ length: 256 }, () =>
      reads.run({ signal: caller.signal }, (pace) => work(pace, 1)),
    );
    expect(reads.use).toEqual({ running: 1, waiting: 256 });
    caller.abort();
    const ends = await Promise.allSettled(waiting);
    expect(new Set(ends.map((end) => end.status === "rejected" && end.reason.message))).toEqual(
      new Set(["the caller has disconnected"]),
    );
    const next = reads.run(staying, (pace) => work(pace, 1));
    expect(reads.use).toEqual({ running: 1, waiting: 1 });
    held.abort();
    await expect(holding).rejects.toThrow("the caller has disconnected");
    expect(await next).toBe("done");
  });

  it("time out while queued, with the read's own text", async () => {
    const reads = new HeavyReads(new TimeSlice(), short({ atOnce: 1 }));
    const held = new AbortController();
    const holding = reads.run({ signal: held.signal }, (pace) => work(pace, 1_000_000));
    const late = reads.run(staying, (pace) => work(pace, 1), {
      timeoutMs: 20,
      text: "query timeout exceeded",
    });
    await expect(late).rejects.toMatchObject({ rpcCode: -32000, message: "query timeout exceeded" });
    held.abort();
    await expect(holding).rejects.toThrow();
  });

  it("of one client do not fill the queue for others, nor block the owner", async () => {
    const reads = new HeavyReads(new TimeSlice(), short({ atOnce: 1, waiting: 4, waitingPerClient: 2 }));
    const all = new AbortController();
    const connection = {};
    const greedy = { signal: all.signal, connection };
    const held = [1, 2, 3].map(() => reads.run(greedy, (pace) => work(pace, 1_000_000)));
    await expect(reads.run(greedy, (pace) => work(pace, 1))).rejects.toMatchObject({
      ...{ rpcCode: -32005, message: "too many reads of this client in progress: retry later" },
    });
    const owner = { ...staying, access: { local: true } };
    expect(await reads.run(owner, (pace) => work(pace, 2))).toBe("done");
    const other = reads.run(staying, (pace) => work(pace, 1));
    expect(reads.use).toEqual({ running: 1, waiting: 3 });
    all.abort();
    await Promise.allSettled(held);
    expect(await other).toBe("done");
  });

  it("of one client take only part of the places, and leave some for others", async () => {
    const reads = new HeavyReads(new TimeSlice(), short({ atOnce: 3, atOnceOfOne: 2 }));
    const all = new AbortController();
    const greedy = { signal: all.signal, connection: {} };
    const held = [1, 2, 3, 4].map(() => reads.run(greedy, (pace) => work(pace, 1_000_000)));
    expect(reads.use).toEqual({ running: 2, waiting: 2 });
    expect(await reads.run(staying, (pace) => work(pace, 2))).toBe("done");
    expect(reads.use).toEqual({ running: 2, waiting: 2 });
    all.abort();
    await Promise.allSettled(held);
    expect(reads.use).toEqual({ running: 0, waiting: 0 });
  });

  it("wait for their turns among new reads at first, and among long ones once they have worked for long", async () => {
    let nowMs = 0;
    const turns: unknown[] = [];
    const slice = { isDue: () => true, yield: async (...turn: unknown[]) => void turns.push(turn) };
    const reads = new HeavyReads(slice, { longAfterMs: 50 }, () => nowMs);
    const client = { ...staying, connection: {} };
    await reads.run(client, async (pace) => {
      for (let i = 0; i < 4; i++) {
        nowMs += 20;
        await pace.yield();
      }
    });
    const lanes = ["newReads", "newReads", "reads", "reads"];
    expect(turns).toEqual(lanes.map((lane) => [lane, client.connection]));
  });

  it("of one client, one after the other, always find a place", async () => {
    const reads = new HeavyReads(new TimeSlice(), short({ atOnce: 4, atOnceOfOne: 1 }));
    const client = { ...staying, connection: {} };
    for (let i = 0; i < 3; i++) {
      const first = reads.run(client, (pace) => work(pace, 3));
      const second = reads.run(client, (pace) => work(pace, 3));
      expect(reads.use).toEqual({ running: 1, waiting: 1 });
      expect(await Promise.all([first, second])).toEqual(["done", "done"]);
    }
  });

  it("hold what they have written only while they run, however they end", async () => {
    const unsent = new UnsentBytes(Number.POSITIVE_INFINITY);
    const reads = new HeavyReads(new TimeSlice(), { ...short({}), unsent });
    for (const failure of [undefined, new Error("failed")]) {
      const read = reads.run(staying, async (pace, draft) => {
        draft.addText("x".repeat(1 << 20));
        await pace.yield();
        if (failure !== undefined) throw failure;
      });
      expect(unsent.total).toBeGreaterThanOrEqual(1 << 20);
      await Promise.allSettled([read]);
      expect(unsent.total).toBe(0);
    }
  });

  it("that take long make room for short ones, however many there are", async () => {
    let nowMs = 0;
    const long = { atOnce: 2, atOnceOfOne: 2, waiting: 1, waitingPerClient: 1 };
    const places = { atOnce: 1, atOnceOfOne: 1, waiting: 256, waitingPerClient: 64 };
    const limits = { long, short: places, longAfterMs: 50, timeoutMs: 2 ** 31 - 1 };
    const reads = new HeavyReads(new TimeSlice(), limits, () => nowMs);
    const all = new AbortController();
    const large = () =>
      reads.run({ signal: all.signal, connection: {} }, async (pace) => {
        for (;;) {
          nowMs += 20;
          await pace.yield();
        }
      });
    const storm = Array.from({ length: 16 }, () => Promise.resolve(large()).catch((error: unknown) => error));
    const small = await reads.run({ ...staying, connection: {} }, (pace) => work(pace, 2));
    expect(small).toBe("done");
    const beyond = await Promise.race(storm);
    expect(beyond).toMatchObject({ rpcCode: -32005 });
    all.abort();
    await Promise.all(storm);
    expect(reads.use).toEqual({ running: 0, waiting: 0 });
  });

  it("end when they take too long", async () => {
    const reads = new HeavyReads(new TimeSlice(), { timeoutMs: 20 });
    await expect(reads.run(staying, (pace) => work(pace, 1_000_000))).rejects.toThrow("took too long");
  });
});

it("sorts in steps like `Array.prototype.sort`", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { maxLength: 5000 }), (numbers) => {
      const rows = numbers.map((key, place) => ({ key, place }));
      const sorted = runSync(mergeSort(rows, (a, b) => a.key - b.key));
      expect(sorted).toEqual([...rows].sort((a, b) => a.key - b.key));
    }),
  );
});
