import { expect, it, onTestFinished, vi } from "vitest";
import { withTimeout } from "./with-timeout.ts";

it("ends a wait for a silent node with an error of the console, whose message is all that is shown", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const ended = expect(withTimeout(new Promise(() => {}))).rejects.toMatchObject({
    code: "CONSOLE_CONNECT",
    message: "the node did not respond within 30 seconds",
  });
  vi.advanceTimersByTime(30_000);
  await ended;
  expect(await withTimeout(Promise.resolve(1))).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});
