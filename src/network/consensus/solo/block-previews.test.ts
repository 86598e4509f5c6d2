import { describe, expect, it, vi } from "vitest";
import { balanceChange } from "../../../ledger/state/testing/model.ts";
import { ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { RECIPIENT, SENDER, setUp } from "./testing/previewed-chain.ts";

describe("a preview", () => {
  it("is the block that is sealed next, down to the roots", async () => {
    const { add, previews, sealing, chain } = await setUp();
    for (const nonce of [0, 1]) await add(nonce);
    const { block, receipts } = await previews.block();
    expect(chain.head.header.number).toBe(0n);
    const sealed = await sealing.sealNow();
    expect(block.header).toEqual(sealed?.block.header);
    expect(block.transactions).toEqual(sealed?.block.transactions);
    expect(receipts).toEqual(sealed?.receipts);
  });

  it("has the state after the block, unlike the head", async () => {
    const { add, previews, chain } = await setUp();
    await add(0);
    const { state, header } = previews.preview();
    expect(header.number).toBe(1n);
    expect([state, chain.latestState()].map((each) => each.account(RECIPIENT)?.balance)).toEqual([
      1n,
      undefined,
    ]);
    expect(state.account(SENDER.address)?.nonce).toBe(1n);
    expect(state.account(new Uint8Array(20).fill(0x55))).toBeUndefined();
  });

  it("is cached until the pool, the head, the clock or the settings change", async () => {
    const { add, asked, previews, sealing, runtime } = await setUp();
    const first = previews.preview();
    expect(previews.preview()).toBe(first);
    await runtime.advance(400);
    expect(previews.preview()).toBe(first);
    expect((await previews.block()).block.header.number).toBe(1n);
    expect(await previews.block()).toBe(await previews.block());
    const seen = new Set([first]);
    const changes = [
      () => add(0),
      () => sealing.sealNow(),
      () => runtime.advance(5_000),
      async () => void asked.value++,
    ];
    for (const change of changes) {
      await change();
      seen.add(previews.preview());
    }
    expect(seen.size).toBe(1 + changes.length);
  });

  it("is the same until the clock passes its timestamp", async () => {
    const { previews, sealing, runtime, chain } = await setUp();
    await sealing.sealNow();
    const { time } = chain.tip.header;
    const first = previews.preview();
    await runtime.advance(1_000);
    expect([first.header.time, previews.preview()]).toEqual([time + 1n, first]);
    await runtime.advance(1_000);
    expect(previews.preview().header.time).toBe(time + 2n);
  });

  it("consumes nothing: a time set for the next block still applies to it", async () => {
    const { previews, clock, chain, sealing } = await setUp();
    clock.setNext(chain.tip.header.time + 77n, chain.tip.header);
    const { time } = previews.preview().header;
    expect([time, (await sealing.sealNow())?.block.header.time]).toEqual([77n, 77n]);
  });

  it("shows neither receipts nor the proposer unless asked to, as in the reference node", async () => {
    const { add, previews, publicPreviews } = await setUp();
    await add(0);
    const hidden = publicPreviews();
    expect([previews.showsReceipts, hidden.showsReceipts]).toEqual([true, false]);
    expect(hidden.preview()).not.toHaveProperty("author");
    expect(hidden.preview().transactions).toHaveLength(1);
  });

  it("is not built for frequent callers while no transaction is executable", async () => {
    const { add, previews } = await setUp();
    expect(previews.recent()).toBeUndefined();
    await add(0);
    expect(previews.recent()?.transactions).toHaveLength(1);
  });
});

describe("a preview of the same head", () => {
  /** Previews that take 5 ms each. */
  const scene = async (isOpen: boolean) => {
    const world = await setUp(undefined, isOpen);
    const clock = { ms: 1000 };
    vi.spyOn(world.runtime.clock, "elapsed").mockImplementation(() => clock.ms);
    const preview = world.producer.preview.bind(world.producer);
    vi.spyOn(world.producer, "preview").mockImplementation((header) => {
      clock.ms += 5;
      return preview(header);
    });
    await world.add(0);
    return { ...world, clock };
  };

  it("serves frequent callers for ten times its cost, whatever has entered the pool since", async () => {
    const { previews, add, clock, sealing } = await scene(true);
    const first = previews.recent();
    expect(first?.transactions).toHaveLength(1);
    await add(1);
    clock.ms += 49;
    expect(previews.recent()).toBe(first);
    clock.ms += 1;
    const second = previews.recent();
    expect(second?.transactions).toHaveLength(2);
    await sealing.sealNow();
    await add(2);
    expect(previews.recent()?.transactions).toHaveLength(1);
  });

  it("serves nobody once the state under it was edited", async () => {
    const { previews, chain } = await scene(true);
    const first = previews.recent();
    const edit = { ...balanceChange(1, 1000n), address: RECIPIENT };
    await chain.exclusive(() => chain.amend({ accounts: [edit], codes: [] }));
    chain.announce();
    expect(previews.recent()).not.toBe(first);
    expect(previews.recent()?.state.account(RECIPIENT)?.balance).toBe(1001n);
  });

  it("never serves those who want the whole block", async () => {
    const { previews, add } = await scene(true);
    expect((await previews.block()).block.transactions).toHaveLength(1);
    await add(1);
    expect((await previews.block()).block.transactions).toHaveLength(2);
  });

  it("serves everybody for four times its cost, except on development chains, which also show the proposer", async () => {
    const { previews, add, clock } = await scene(false);
    const first = previews.preview();
    expect(first).not.toHaveProperty("author");
    await add(1);
    clock.ms += 19;
    expect(previews.preview()).toBe(first);
    clock.ms += 1;
    expect(previews.preview().transactions).toHaveLength(2);
    const development = await scene(true);
    expect(development.previews.preview().author).toEqual(ZERO_ADDRESS);
    await development.add(1);
    expect(development.previews.preview().transactions).toHaveLength(2);
  });
});
