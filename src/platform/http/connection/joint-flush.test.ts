import { afterEach, describe, expect, it, vi } from "vitest";
import { JointFlush } from "./joint-flush.ts";

afterEach(() => vi.restoreAllMocks());

function setUp() {
  let now = 5;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const sent: string[] = [];
  const joint = new JointFlush();
  const pass = (ms: number) => {
    now += ms;
  };
  /** A request that arrives after some milliseconds, and its response. */
  const handle = (name: string, after: number) => {
    pass(after);
    joint.beforeRequest();
    joint.add(() => sent.push(name));
  };
  /** From now on several requests arrive in a turn. */
  const becomeBusy = async () => {
    handle("", 1);
    handle("", 0.01);
    handle("", 0.01);
    await nextTurn();
    sent.length = 0;
  };
  return { joint, sent, handle, pass, becomeBusy };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("responses of one turn", () => {
  it("are sent immediately while each request follows the previous response", () => {
    const { sent, handle } = setUp();
    handle("a", 1);
    handle("b", 0.03);
    handle("c", 0.03);
    expect(sent).toEqual(["a", "b", "c"]);
  });

  it("are deferred to the end of the turn once requests are back to back, and sent in order, each once", async () => {
    const { sent, handle } = setUp();
    handle("a", 1);
    handle("b", 0.01);
    handle("c", 0.01);
    await Promise.resolve();
    expect(sent).toEqual(["a"]);
    await nextTurn();
    expect(sent).toEqual(["a", "b", "c"]);
    await nextTurn();
    expect(sent).toHaveLength(3);
  });

  it("are deferred in the following turns too, until one comes alone", async () => {
    const { sent, handle, becomeBusy } = setUp();
    await becomeBusy();
    handle("a", 1);
    handle("b", 0.1);
    expect(sent).toEqual([]);
    await nextTurn();
    handle("c", 1);
    expect(sent).toEqual(["a", "b"]);
    await nextTurn();
    handle("d", 1);
    expect(sent).toEqual(["a", "b", "c", "d"]);
  });

  it("count as sent if another connection flushed immediately", () => {
    const { joint, pass } = setUp();
    pass(1);
    joint.beforeRequest();
    expect(joint.isBusy).toBe(false);
    joint.noteSent();
    pass(0.01);
    joint.beforeRequest();
    expect(joint.isBusy).toBe(true);
  });

  it("are sent before the next request once the first has waited half a millisecond", async () => {
    const { joint, sent, handle, pass, becomeBusy } = setUp();
    await becomeBusy();
    handle("a", 1);
    pass(0.5);
    joint.beforeRequest();
    expect(sent).toEqual([]);
    pass(0.01);
    joint.beforeRequest();
    expect(sent).toEqual(["a"]);
  });
});
