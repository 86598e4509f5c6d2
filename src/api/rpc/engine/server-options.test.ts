import { describe, expect, it, vi } from "vitest";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import { createBudget } from "../services/budget.ts";
import { TokenCheck } from "../transports/token-check.ts";
import { serve } from "./testing/served-hooks.ts";

describe("further options", () => {
  it("include the token check and the defect listener", () => {
    const token = new TokenCheck(new Uint8Array(32), () => 0);
    const { server, defects } = serve({ token });
    expect(server.token).toBe(token);
    server.reportDefect("a transport", "what broke");
    expect(defects).toEqual([["a transport", "what broke"]]);
  });

  it("secrets in the bytes of a request are overwritten after the response", async () => {
    const { server, session, held } = serve({});
    const request = Buffer.from('{"id":1,"method":"test_secret","params":["hunter2"]}');
    expect(await server.answer(request, session)).toContain('"result":"ok"');
    expect(request.toString()).not.toContain("hunter2");
    expect(held.map(({ bytes }) => bytes)).toEqual([new Uint8Array(7)]);
  });

  it("long texts yield before and after decoding and parsing when the time slice is used up, short ones do not", async () => {
    const turns: string[] = [];
    class UsedUp extends TimeSlice {
      override isDue(): boolean {
        return true;
      }
      override yield(lane: "clients" | "reads"): Promise<void> {
        turns.push(lane);
        return Promise.resolve();
      }
    }
    const { ask } = serve({ budget: { ...createBudget(), slice: new UsedUp() } });
    const echoOf = (length: number) => ask("test_echo", ["x".repeat(length)]);
    const around = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "test_echo", params: [""] }).length;
    expect(echoOf(16 * 1024 - around)).not.toBeInstanceOf(Promise);
    const long = echoOf(16 * 1024 - around + 1);
    expect(long).toBeInstanceOf(Promise);
    expect(String(await long)).toContain("xxx");
    expect(turns).toEqual(["clients", "clients", "clients"]);
  });

  it("each element of a batch checks the time slice against the current time", async () => {
    const looks: number[] = [];
    class Watched extends TimeSlice {
      override isDue(now = performance.now()): boolean {
        looks.push(now);
        return false;
      }
    }
    const { server, session } = serve({ budget: { ...createBudget(), slice: new Watched() } });
    const busy = '{"id":1,"method":"test_send"}';
    for (const element of [busy, "7", '{"result":1,"id":1}', '{"method":"test_send"}']) {
      looks.length = 0;
      const begun = performance.now();
      await server.answer(`[${Array.from({ length: 5 }, () => element).join()}]`, session);
      expect(looks).toHaveLength(5);
      expect(looks).toEqual(looks.toSorted((a, b) => a - b));
      expect(looks[0]).toBeGreaterThanOrEqual(begun);
      await new Promise((resolve) => setTimeout(resolve, 2)); // an earlier end time must not be reused
    }
    let ms = 0;
    vi.spyOn(performance, "now").mockImplementation(() => ++ms);
    looks.length = 0;
    await server.answer(`[${busy},7,7,7]`, session);
    // the end of a call serves as the start of the next element only
    const gaps = looks.slice(1).map((look, i) => look - (looks[i] as number));
    expect(gaps.map((gap) => gap > 0)).toEqual([true, true, true]);
  });
});
