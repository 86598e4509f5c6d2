import { describe, expect, it, vi } from "vitest";
import { CHAIN_ID, createLedger, genesisOf } from "../../../ledger/chain/testing/ledger.ts";
import type { BlockTurns } from "../../../ledger/execution/jobs/block-executor.ts";
import { StateError } from "../../../ledger/state/errors.ts";
import { MissingState } from "../../../ledger/state/missing-state.ts";
import { balanceChange } from "../../../ledger/state/testing/model.ts";
import { transfer, wallet } from "../../../ledger/txpool/testing/transactions.ts";
import { ChainTransactionPool } from "../../../ledger/txpool/transaction-pool.ts";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import { ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { createInlineRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import { BlockProducer } from "../block-producer.ts";
import type { ProposerSettings } from "../proposer-settings.ts";
import { heldTurns } from "../testing/held-turns.ts";
import { BlockPreviews } from "./block-previews.ts";
import { ChainClock } from "./chain-clock.ts";
import { SealingService } from "./sealing-service.ts";

const SENDER = wallet(0);
const RECIPIENT = new Uint8Array(20).fill(0x77);
const tx = (nonce: number) => transfer(SENDER, { nonce: BigInt(nonce), value: 1n }, CHAIN_ID);

/** What an action lacks. */
function missingOf(action: () => unknown): MissingState {
  try {
    action();
  } catch (error) {
    if (error instanceof MissingState) return error;
    throw error;
  }
  return expect.fail("nothing is missing");
}

async function setUp(turns?: BlockTurns, isOpen = true) {
  const ledger = await createLedger(genesisOf({ [SENDER.key]: 10n ** 20n }), { ...(turns && { turns }) });
  const { chain, runtime } = ledger;
  const recovery = createInlineRecovery(CHAIN_ID);
  const pool = new ChainTransactionPool({ chain, recovery, now: () => runtime.clock.now() });
  const clock = new ChainClock(runtime.clock);
  const settings: ProposerSettings = {};
  const common = { runtime, logger: silentLogger };
  const author = ZERO_ADDRESS;
  const producer = new BlockProducer({ ...ledger, ...common, pool, settings, author });
  const engine = ledger.consensus;
  const asked = { value: 0 };
  const previews = new BlockPreviews(
    { chain, runtime, producer, engine, pool, clock, settings, author },
    { extraInputs: () => asked.value, isOpen },
  );
  /** As on a public chain, without options. */
  const publicPreviews = () =>
    new BlockPreviews({ chain, runtime, producer, engine, pool, clock, settings, author });
  const sealing = new SealingService({ engine, clock, ...common }, { kind: "manual" });
  sealing.start(producer);
  const add = (nonce: number) => pool.add(tx(nonce), { local: true });
  return {
    ...ledger,
    add,
    asked,
    producer,
    previews,
    publicPreviews,
    pool,
    clock,
    sealing,
  };
}

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

  it("serves those who waited for it at once, whatever has come in since, and nobody later", async () => {
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

  it("is given up once the state under it was edited five times", async () => {
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
