import { expect, it, vi } from "vitest";
import type { Cancel } from "../../../../platform/runtime/runtime.ts";
import { type DappDeps, ethDappHandlers } from "./dapp.ts";

it("does not wait for the block if its caller disconnected while the transaction was added", async () => {
  const caller = new AbortController();
  const onHead = vi.fn(() => () => {});
  const schedule = vi.fn((): Cancel => () => {});
  const { sendRawTransactionSync } = ethDappHandlers({
    chain: { locate: () => undefined, onHead },
    timers: { schedule },
    async request({ method }: { method: string }) {
      if (method !== "eth_sendRawTransaction") return null;
      caller.abort();
      return `0x${"11".repeat(32)}`;
    },
  } as unknown as DappDeps);
  const context = { signal: caller.signal } as never;
  const sent = Promise.resolve(sendRawTransactionSync({ raw: new Uint8Array(1) } as never, context));
  await expect(sent).rejects.toThrowError("added to the pool but not mined");
  expect([onHead, schedule].map(({ mock }) => mock.calls)).toEqual([[], []]);
});
