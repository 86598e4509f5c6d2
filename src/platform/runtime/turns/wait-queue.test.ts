import { afterEach, describe, expect, it } from "vitest";
import type { CallerIdentity } from "./caller-identity.ts";
import { Slots } from "./slots.ts";
import { type WaitFailure, WaitQueue } from "./wait-queue.ts";

const here = (more: Partial<CallerIdentity> = {}): CallerIdentity => ({
  signal: new AbortController().signal,
  ...more,
});
const lost = (why: WaitFailure) => new Error(why);

const lines: WaitQueue[] = [];

afterEach(() => {
  for (const line of lines.splice(0)) line.close();
});

function lineOf(waiting = 10, waitingPerClient = 10) {
  const line = new WaitQueue({ waiting, waitingPerClient });
  lines.push(line);
  const begun: string[] = [];
  const wait = (name: string, standing = here(), timeMs = 60_000) => {
    const turn = line.wait(standing, { timeMs, begin: () => begun.push(name), lost });
    turn.catch(() => {}); // some wait until their line closes
    return turn;
  };
  return { line, begun, wait };
}

describe("a wait queue", () => {
  it("serves clients round-robin, however much one queues", () => {
    const { line, begun, wait } = lineOf();
    const [greedy, modest] = [{}, {}];
    for (const name of ["a1", "a2", "a3"]) void wait(name, here({ client: greedy }));
    void wait("b1", here({ client: modest }));
    while (line.next("others"));
    expect(begun).toEqual(["a1", "b1", "a2", "a3"]);
  });

  it("keeps the owner in a lane that others cannot fill", async () => {
    const { line, begun, wait } = lineOf(1);
    void wait("stranger");
    await expect(wait("another")).rejects.toThrow("full");
    void wait("owner", here({ isLocal: true }));
    expect(line.next("owner")).toBe(true);
    expect(begun).toEqual(["owner"]);
  });

  it("frees the place of callers that disconnect or time out", async () => {
    const { line, wait } = lineOf(1);
    const caller = new AbortController();
    const leaving = wait("leaving", { signal: caller.signal });
    caller.abort();
    await expect(leaving).rejects.toThrow("left");
    await expect(wait("late", here(), 5)).rejects.toThrow("late");
    expect(line.size).toBe(0);
    await expect(wait("gone", { signal: caller.signal })).rejects.toThrow("left");
  });

  it("limits the number waiting per client, and rejects all when closed", async () => {
    const { line, wait } = lineOf(10, 1);
    const client = {};
    const first = wait("first", here({ client }));
    await expect(wait("second", here({ client }))).rejects.toThrow("clientFull");
    line.close();
    await expect(first).rejects.toThrow("closed");
  });

  it("evicts a caller of the busiest client in favour of a modest one", async () => {
    const { line, begun, wait } = lineOf(3);
    const greedy = here({ client: {} });
    void wait("a1", greedy);
    void wait("a2", greedy);
    const last = wait("a3", greedy);
    const modest = here({ client: {} });
    void wait("b1", modest);
    await expect(last).rejects.toThrow("clientFull");
    await expect(wait("b2", modest)).rejects.toThrow(/^full$/);
    await expect(wait("a4", greedy)).rejects.toThrow(/^full$/);
    while (line.next("others"));
    expect(begun).toEqual(["a1", "b1", "a2"]);
  });

  it("evicts only for a client that then has fewer waiting than the busiest", async () => {
    const { wait } = lineOf(4);
    const [greedy, modest] = [here({ client: {} }), here({ client: {} })];
    for (const name of ["a1", "a2"]) void wait(name, greedy);
    const last = wait("a3", greedy);
    void wait("b1", modest);
    // two of each from now on
    void wait("b2", modest);
    await expect(last).rejects.toThrow("clientFull");
    await expect(wait("b3", modest)).rejects.toThrow(/^full$/);
  });

  it("always queues a caller that has already had a turn", async () => {
    const { line, begun, wait } = lineOf(1);
    const client = {};
    for (const name of ["a1", "a2"])
      void line.wait(here({ client }), { isAdmitted: true, begin: () => begun.push(name), lost });
    await expect(wait("b1")).rejects.toThrow(/^full$/);
    while (line.next("others"));
    expect(begun).toEqual(["a1", "a2"]);
  });

  it("rejects a caller whose work fails to start", async () => {
    const line = new WaitQueue({ waiting: 1, waitingPerClient: 1 });
    const begin = () => {
      throw new Error("no thread");
    };
    const failing = line.wait(here(), { timeMs: 1000, begin, lost });
    line.next("others");
    await expect(failing).rejects.toThrow("no thread");
  });
});

it("has a slot for the owner when others have taken all", () => {
  const places = new Slots(2);
  places.take("others");
  places.take("others");
  expect([places.isFree("others"), places.isFree("owner")]).toEqual([false, true]);
  places.take("owner");
  expect(places.isFree("owner")).toBe(false);
});
