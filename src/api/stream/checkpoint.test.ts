import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { Checkpoint } from "./checkpoint.ts";

const PATH = "/checkpoint.json";

it("writes one state after the other, also while a flush is in progress", async () => {
  const { files, timers, ...runtime } = createSimulatedRuntime();
  const written: string[] = [];
  const pending: (() => void)[] = [];
  const slow = Object.assign(Object.create(files) as typeof files, {
    async replace(_: string, bytes: Uint8Array) {
      await new Promise<void>((resolve) => pending.push(resolve));
      written.push(new TextDecoder().decode(bytes).trim());
    },
  });
  const checkpoint = new Checkpoint({ files: slow, timers }, PATH, () => {});
  checkpoint.set({ next: 1n });
  const first = checkpoint.flush();
  await Promise.resolve();
  checkpoint.set({ next: 2n });
  const second = checkpoint.flush();
  await runtime.advance(1000);
  expect(pending).toHaveLength(1);
  pending.shift()?.();
  await runtime.advance(0);
  pending.shift()?.();
  await Promise.all([first, second]);
  expect(written).toEqual(['{"next":"1"}', '{"next":"2"}']);
});
