import { describe, expect, it, vi } from "vitest";
import { StateError } from "../../../ledger/state/errors.ts";
import { MissingState } from "../../../ledger/state/missing-state.ts";
import { balanceChange } from "../../../ledger/state/testing/model.ts";
import { heldTurns } from "../testing/held-turns.ts";
import { missingOf, RECIPIENT, setUp } from "./testing/previewed-chain.ts";

describe("a preview built concurrently", () => {
  it("contains everything that arrived before the call, also while another was being built", async () => {
    const { turns, open } = heldTurns();
    const { add, previews } = await setUp(turns);
    await add(0);
    const first = previews.block();
    await add(1);
    const second = previews.block();
    await open();
    expect((await first).block.transactions).toHaveLength(1);
    for (let i = 0; i < 2; i++) await open();
    expect((await second).block.transactions).toHaveLength(2);
    expect((await previews.block()).block).toEqual((await second).block);
  });

  it("serves those who waited for it at once, whatever has arrived since, and nobody later", async () => {
    const { turns, begun, open } = heldTurns();
    const { add, previews, runtime } = await setUp(turns);
    await add(0);
    const missing = missingOf(() => previews.preview());
    const loaded = missing.load();
    await begun();
    await add(1);
    await open();
    await loaded;
    expect(previews.preview().transactions).toHaveLength(1);
    await runtime.advance(0);
    expect(missingOf(() => previews.preview())).not.toBe(missing);
    for (let i = 0; i < 2; i++) await open();
  });

  it("is built again once a part of the state that it lacked is there", async () => {
    const { add, previews, producer } = await setUp();
    await add(0);
    const load = vi.fn(async () => {});
    vi.spyOn(producer, "preview").mockImplementationOnce(async () => {
      throw new MissingState("an account", load);
    });
    expect((await previews.block()).block.transactions).toHaveLength(1);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it("is the requested block even if the tip moves meanwhile, without the chain's lock", async () => {
    const same = await setUp();
    await same.add(0);
    const wanted = (await same.sealing.sealNow())?.block.header;
    const { turns, begun, open } = heldTurns();
    const { add, previews, pool, sealing, chain } = await setUp(turns);
    await add(0);
    const asked = previews.block();
    await begun();
    pool.clear();
    await sealing.sealNow();
    let release = () => {};
    const locked = chain.exclusive(() => new Promise<void>((resolve) => (release = resolve)));
    await open();
    const { block, receipts } = await asked;
    release();
    await locked;
    expect(chain.tip.header.number).toBe(1n);
    expect([block.transactions.length, receipts.length]).toEqual([1, 1]);
    expect(block.header.parentHash).toEqual(chain.genesisHash);
    expect(block.header.stateRoot).toEqual(wanted?.stateRoot);
    expect(block.header.receiptsRoot).toEqual(wanted?.receiptsRoot);
    expect((await previews.block()).block.header.number).toBe(2n);
  });

  it("is rebuilt if the state under it was edited", async () => {
    const { turns, begun, open } = heldTurns();
    const { add, previews, chain, sealing } = await setUp(turns);
    await add(0);
    const asked = previews.block();
    await begun();
    const edit = { ...balanceChange(1, 1000n), address: RECIPIENT };
    await chain.exclusive(() => chain.amend({ accounts: [edit], codes: [] }));
    chain.announce();
    for (let i = 0; i < 2; i++) await open();
    const { block } = await asked;
    const sealed = sealing.sealNow();
    await open();
    expect(block.header.stateRoot).toEqual((await sealed)?.block.header.stateRoot);
    expect(chain.latestState().account(RECIPIENT)?.balance).toBe(1001n);
  });

  it("is rebuilt if its parent is removed, before that is announced", async () => {
    const { turns, begun, open } = heldTurns();
    const { add, previews, chain, sealing } = await setUp(turns);
    await sealing.sealNow();
    await add(0);
    const asked = previews.block();
    await begun();
    await chain.exclusive(() => chain.rewind(0n));
    for (let i = 0; i < 2; i++) await open();
    const { block } = await asked;
    expect(block.header.parentHash).toEqual(chain.genesisHash);
    expect(previews.preview().state.account(RECIPIENT)?.balance).toBe(1n);
  });

  it("is not served from the cache once the state under it was edited, before that is announced", async () => {
    const { add, previews, chain } = await setUp();
    await add(0);
    const balance = () => previews.preview().state.account(RECIPIENT)?.balance;
    expect(balance()).toBe(1n);
    const edit = { ...balanceChange(1, 1000n), address: RECIPIENT };
    await chain.exclusive(() => chain.amend({ accounts: [edit], codes: [] }));
    expect(balance()).toBe(1001n);
  });

  it("is abandoned once the state under it was edited five times", async () => {
    const { add, previews, producer } = await setUp();
    await add(0);
    const complete = vi.spyOn(producer, "complete");
    vi.spyOn(producer, "completeOnPast").mockResolvedValue(undefined as never);
    const editedTimes = (count: number) => {
      for (let i = 0; i < count; i++)
        complete.mockImplementationOnce(async () => {
          throw new StateError("STATE_STALE", "edited");
        });
    };
    editedTimes(5);
    await expect(previews.block()).rejects.toMatchObject({
      code: "STATE_STALE",
      message: "the state was edited while the pending block was built",
    });
    editedTimes(4);
    expect((await previews.block()).block.transactions).toHaveLength(1);
  });

  it("fails as its transactions and roots do", async () => {
    const { previews, producer } = await setUp();
    const error = new StateError("STATE_DAMAGED", "a record is missing");
    vi.spyOn(producer, "preview").mockRejectedValueOnce(error);
    await expect(previews.block()).rejects.toBe(error);
    vi.spyOn(producer, "complete").mockRejectedValueOnce(error);
    await expect(previews.block()).rejects.toBe(error);
    expect((await previews.block()).block.header.number).toBe(1n);
  });

  it("serves the head while a block is sealed, and seals nothing twice", async () => {
    const { turns, begun, open } = heldTurns();
    const { add, sealing, chain, pool } = await setUp(turns);
    await add(0);
    const mined = sealing.sealNow();
    await begun();
    await add(1);
    expect(chain.head.header.number).toBe(0n);
    expect(pool.status().pending).toBe(2);
    await open();
    expect((await mined)?.block.transactions).toHaveLength(1);
    expect(pool.status().pending).toBe(1);
  });
});
