import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { StateView } from "../state.ts";
import { checkView } from "../testing/check-view.ts";
import { SimulatedMachine } from "../testing/machine.ts";
import { addressOf, balanceChange, contractChange, hashOf, ModelState, slotOf } from "../testing/model.ts";
import { RECENT, step } from "../testing/random-steps.ts";
import { Scenario } from "../testing/scenario.ts";

describe("a state store", () => {
  it.each([
    ["recent history", "full"],
    ["archive", "archive"],
    ["switching between both", "changing"],
  ] as const)(
    "agrees with plain maps through blocks, amendments, rewinds, flushes and power losses: %s",
    async (_, mode) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
          const scenario = new Scenario(mode);
          for (const [i, each] of steps.entries()) {
            await scenario.run(each);
            if (each.type === "crash" || i % 10 === 9) scenario.check(mode);
          }
          scenario.check(mode);
        }),
        { numRuns: Number(process.env["STATE_STORE_RUNS"] ?? 10) },
      );
    },
    120_000,
  );

  it("keeps the first state and every 128th permanently, and proves them", () => {
    const { store } = new SimulatedMachine({ recentBlocks: 128, archive: false });
    const models: ModelState[] = [];
    for (let n = 0; n < 400; n++) {
      const accounts = [balanceChange(n % 7, BigInt(n)), contractChange(100, [[n % 30, n + 1]])];
      models.push((models.at(-1) ?? new ModelState()).with({ accounts }));
      store.stage({ accounts, codes: [] }).commit({ number: BigInt(n), hash: hashOf(n) }, []);
    }
    const kept = models.flatMap((_, n) => (store.at(BigInt(n)) ? [n] : []));
    expect(kept).toEqual([0, 128, 256, ...Array.from({ length: 129 }, (_, i) => 271 + i)]);
    for (const n of [0, 128, 256]) checkView(store.at(BigInt(n)) as StateView, models[n] as ModelState);
  });

  it("keeps the preimages of hashed addresses and slots", () => {
    const { store } = new SimulatedMachine({ recentBlocks: RECENT, archive: false });
    const change = contractChange(100, [[258, 77]]);
    store.stage({ accounts: [change], codes: [] }).commit({ number: 0n, hash: hashOf(0) }, []);
    expect([...store.latest().accounts()].map(({ address }) => address)).toEqual([addressOf(100)]);
    expect([...store.latest().slots(addressOf(100))].map(({ slot }) => slot)).toEqual([slotOf(258)]);
  });

  it("allows several staged states until the head moves", () => {
    const { store } = new SimulatedMachine({ recentBlocks: RECENT, archive: false });
    const stage = (balance = 1n) => store.stage({ accounts: [balanceChange(1, balance)], codes: [] });
    const [first, second] = [stage(1n), stage(2n)];
    expect([first.isCurrent, second.isCurrent]).toEqual([true, true]);
    first.commit({ number: 0n, hash: hashOf(0) }, []);
    expect(store.latest().account(addressOf(1))?.balance).toBe(1n);
    expect(store.verify().accounts).toBe(1);
    expect(second.isCurrent).toBe(false);
    expect(() => second.commit({ number: 1n, hash: hashOf(1) }, [])).toThrow(
      expect.objectContaining({ code: "STATE_STALE" }),
    );
    expect(() => stage().commit({ number: 3n, hash: hashOf(3) }, [])).toThrow(
      expect.objectContaining({ code: "STATE_ORDER" }),
    );
  });

  it("commits in steps, of which only the last has an effect, unless the state has changed meanwhile", () => {
    const { store } = new SimulatedMachine({ recentBlocks: RECENT, archive: false });
    const rows = Array.from({ length: 3000 }, (_, i) => ({
      ...{ table: "row", key: Uint8Array.of(i >> 8, i & 255), value: Uint8Array.of(1) },
    }));
    const begin = (balance: bigint) => {
      const staged = store.stage({ accounts: [balanceChange(1, balance)], codes: [] });
      return staged.commitInSteps({ number: 0n, hash: hashOf(0) }, rows);
    };
    const [first, second] = [begin(1n), begin(2n)];
    // 23 for the log record, 23 for the rows: 128 of them each
    for (const steps of [first, second])
      for (let i = 0; i < 23 + 23; i++) {
        expect(steps.next().done).toBe(false);
        expect(store.head).toBeUndefined();
        expect(store.get("row", rows[0]?.key as Uint8Array)).toBeUndefined();
      }
    expect(first.next().done).toBe(true);
    expect(store.latest().account(addressOf(1))?.balance).toBe(1n);
    expect(store.get("row", rows[2999]?.key as Uint8Array)).toEqual(Uint8Array.of(1));
    expect(() => second.next()).toThrow(expect.objectContaining({ code: "STATE_STALE" }));
    expect(store.latest().account(addressOf(1))?.balance).toBe(1n);
  });

  it("prunes states that are too far back, and refuses to rewind to them", () => {
    const { store } = new SimulatedMachine({ recentBlocks: RECENT, archive: false });
    for (let n = 0; n <= 20; n++)
      store
        .stage({ accounts: [balanceChange(1, BigInt(n + 1))], codes: [] })
        .commit({ number: BigInt(n), hash: hashOf(n) }, []);
    expect(store.at(20n - BigInt(RECENT))?.account(addressOf(1))?.balance).toBe(15n);
    expect(store.at(19n - BigInt(RECENT))).toBeUndefined();
    expect(store.at(21n)).toBeUndefined();
    expect(() => store.rewind({ number: 3n, hash: hashOf(3) }, [])).toThrow(
      expect.objectContaining({ code: "STATE_PRUNED" }),
    );
    expect(store.head?.number).toBe(20n);
  });

  it("reads an archive's past states after flushed blocks were replaced", async () => {
    const { store, database } = new SimulatedMachine({ recentBlocks: RECENT, archive: true });
    const add = (number: number, balance: bigint | undefined) => {
      const accounts = balance === undefined ? [] : [balanceChange(1, balance)];
      store.stage({ accounts, codes: [] }).commit({ number: BigInt(number), hash: hashOf(number) }, []);
    };
    for (const [number, balance] of [undefined, undefined, 5n].entries()) add(number, balance);
    await database.flush();
    store.rewind({ number: 0n, hash: hashOf(0) }, []);
    add(1, 6n);
    add(2, 7n);
    expect([0n, 1n, 2n].map((n) => store.at(n)?.account(addressOf(1))?.balance)).toEqual([undefined, 6n, 7n]);
  });

  it("stores code by its hash, and reports missing code", () => {
    const { store } = new SimulatedMachine({ recentBlocks: RECENT, archive: false });
    const code = hexToBytes("0x6001");
    const hash = keccak256(code);
    store.stage({ accounts: [], codes: [{ hash, code }] }).commit({ number: 0n, hash: hashOf(0) }, []);
    expect(store.latest().code(hash)).toEqual(code);
    expect(store.latest().code(keccak256(new Uint8Array(0)))).toEqual(new Uint8Array(0));
    expect(() => store.latest().code(hashOf(9))).toThrow(expect.objectContaining({ code: "STATE_DAMAGED" }));
  });

  it("undoes an amendment only while its state is the latest", () => {
    const { store } = new SimulatedMachine({ recentBlocks: RECENT, archive: false });
    const nothing = { accounts: [balanceChange(1, 1n)], codes: [] };
    expect(() => store.amend(nothing)).toThrow(expect.objectContaining({ code: "STATE_ORDER" }));
    store.stage(nothing).commit({ number: 0n, hash: hashOf(0) }, []);
    const first = store.amend({ accounts: [balanceChange(1, 2n)], codes: [] });
    const second = store.amend({ accounts: [balanceChange(1, 3n)], codes: [] });
    expect(() => first.undo()).toThrow(expect.objectContaining({ code: "STATE_STALE" }));
    second.undo();
    first.undo();
    expect(store.latest().account(addressOf(1))?.balance).toBe(1n);
    expect(store.head).toMatchObject({ number: 0n, hash: hashOf(0) });
  });

  it("leaves nothing behind of a commit with an invalid row", () => {
    const { store } = new SimulatedMachine({ recentBlocks: RECENT, archive: false });
    const staged = store.stage({ accounts: [balanceChange(1, 1n)], codes: [] });
    const row = { table: "row", key: new Uint8Array(300), value: new Uint8Array(1) };
    expect(() => staged.commit({ number: 0n, hash: hashOf(0) }, [row])).toThrow(RangeError);
    expect(store.head).toBeUndefined();
    expect(store.latest().account(addressOf(1))).toBeUndefined();
  });
});
