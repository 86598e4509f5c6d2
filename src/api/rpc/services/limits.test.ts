import { describe, expect, it } from "vitest";
import { string } from "../../../protocol/codec/json/scalars.ts";
import { method } from "../spec/method.ts";
import { echo } from "../testing/declarations.ts";
import { serveMethods } from "../testing/serve-methods.ts";

const api = {
  echo,
  work: method({ summary: "Keeps the thread for 30 ms.", params: {}, result: string, scope: "state" }),
};

const limits = { batchItems: 3, batchAnswer: 200, subscriptions: 2 };
const { server, connect } = serveMethods(
  api,
  {
    echo: ({ text }) => text,
    work() {
      const end = performance.now() + 30;
      while (performance.now() < end);
      return "done";
    },
  },
  { limits },
);
const echoing = (id: number | undefined, text: string) => ({ id, method: "test_echo", params: [text] });

async function ask(request: unknown, caller = connect()): Promise<unknown> {
  return JSON.parse(String(await server.answer(JSON.stringify(request), caller)));
}

describe("limits", () => {
  it("refuse a batch with too many elements as a whole", async () => {
    const batch = [1, 2, 3, 4].map((id) => echoing(id, "x"));
    expect(await ask(batch)).toMatchObject({ id: null, error: { code: -32600, message: "batch too large" } });
    expect(await ask(batch.slice(1))).toHaveLength(3);
  });

  it("refuse the elements of a batch once its response is full", async () => {
    const long = "x".repeat(300);
    expect(
      await ask([echoing(1, long), echoing(2, "y"), { ...echoing(3, "z"), id: undefined }]),
    ).toMatchObject([
      { id: 1, result: long },
      { id: 2, error: { code: -32003, message: "response too large" } },
    ]);
  });

  it("refuse one subscription beyond the limit, with the reference's text, until one ends", async () => {
    const caller = connect();
    const subscribe = () => ask({ id: 1, method: "test_subscribe", params: ["ticks"] }, caller);
    const { result } = (await subscribe()) as { result: string };
    await subscribe();
    const { error } = (await subscribe()) as { error: { code: number; message: string } };
    expect(error.code).toBe(-32000);
    expect(error.message).toMatch(/^Maximum 2 subscriptions are allowed for a websocket connection\./);
    await ask({ id: 1, method: "test_unsubscribe", params: [result] }, caller);
    expect(await subscribe()).toHaveProperty("result");
  });

  it("yield between the elements of a long batch", async () => {
    const seen: string[] = [];
    setImmediate(() => seen.push("other"));
    const batch = [1, 2, 3].map((id) => ({ id, method: "test_work" }));
    await ask(batch).then(() => seen.push("batch"));
    expect(seen).toEqual(["other", "batch"]);
  });
});
