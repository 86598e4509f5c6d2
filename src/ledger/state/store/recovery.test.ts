import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StateStore } from "../state.ts";
import { SimulatedMachine, turns } from "../testing/machine.ts";
import { addressOf, balanceChange, hashOf } from "../testing/model.ts";
import type { HistoryOptions } from "./history/history.ts";

/** Each block sets account 1's balance to its number + 1, and that of one account of the branch. */
function commit(store: StateStore, number: number, branch = 0): Promise<void> {
  const accounts = [balanceChange(1, BigInt(number + 1)), balanceChange(10 + branch, BigInt(100 + number))];
  const row = { table: "body", key: Uint8Array.of(number), value: Uint8Array.of(branch) };
  const staged = store.stage({ accounts, codes: [] });
  return staged.commit({ number: BigInt(number), hash: hashOf(number, branch) }, [row]).durable;
}

async function chain(machine: SimulatedMachine, to: number): Promise<void> {
  for (let number = 0; number <= to; number++) await commit(machine.store, number);
}

function powerLoss(machine: SimulatedMachine, options: Partial<HistoryOptions> = {}): void {
  machine.losePower(() => 0);
  machine.start(options);
}

describe("recovery", () => {
  it.each([
    ["from the log only", false],
    ["when the engine has the abandoned blocks", true],
  ])("replays a reorganisation that reuses block numbers, %s", async (_, flushed) => {
    const machine = new SimulatedMachine({ recentBlocks: 16, archive: true });
    await chain(machine, 9);
    if (flushed) await machine.database.flush();
    await machine.store.rewind({ number: 6n, hash: hashOf(6) }, []).durable;
    for (const number of [7, 8]) await commit(machine.store, number, 1);
    const root = bytesToHex(machine.store.latest().root);
    powerLoss(machine);

    const { store } = machine;
    expect(store.head).toMatchObject({ number: 8n, hash: hashOf(8, 1) });
    expect(bytesToHex(store.latest().root)).toBe(root);
    expect(store.get("body", Uint8Array.of(8))).toEqual(Uint8Array.of(1));
    expect(store.at(6n)?.account(addressOf(11))).toBeUndefined();
    expect(store.at(7n)?.account(addressOf(11))?.balance).toBe(107n);
    expect(store.at(7n)?.account(addressOf(10))?.balance).toBe(106n);
    store.verify();
  });

  it.each([0, 0.3, 0.6, 0.99, 1])(
    "has all or nothing of a reorganisation of which %d is on disk",
    async (share) => {
      const machine = new SimulatedMachine({ recentBlocks: 16, archive: true });
      await chain(machine, 9);
      await turns(1);
      const durable = machine.store.atomically(() => {
        void machine.store.rewind({ number: 6n, hash: hashOf(6) }, []);
        for (const number of [7, 8, 9, 10]) void commit(machine.store, number, 1);
      });
      durable.catch(() => {}); // the power is lost before
      machine.losePower((bytes) => Math.floor(bytes * share));
      machine.start();

      const { store } = machine;
      const isThere = share === 1;
      const head = isThere ? { number: 10n, hash: hashOf(10, 1) } : { number: 9n, hash: hashOf(9) };
      expect(store.head).toMatchObject(head);
      expect(store.get("body", Uint8Array.of(9))).toEqual(Uint8Array.of(isThere ? 1 : 0));
      expect(store.latest().account(addressOf(11))?.balance).toBe(isThere ? 110n : undefined);
      store.verify();
    },
  );

  it("rewinds after a replay over change sets of both branches", async () => {
    const machine = new SimulatedMachine({ recentBlocks: 16, archive: false });
    await chain(machine, 9);
    await machine.database.flush();
    await machine.store.rewind({ number: 5n, hash: hashOf(5) }, []).durable;
    await commit(machine.store, 6, 1);
    await machine.database.flush();
    await commit(machine.store, 7, 1);
    powerLoss(machine);
    await machine.store.rewind({ number: 2n, hash: hashOf(2) }, []).durable;
    powerLoss(machine);
    expect(machine.store.head).toMatchObject({ number: 2n, hash: hashOf(2) });
    expect(machine.store.latest().account(addressOf(1))?.balance).toBe(3n);
    expect(machine.store.latest().account(addressOf(11))).toBeUndefined();
    machine.store.verify();
  });

  it("replays unflushed records after every crash, until they are flushed", async () => {
    const machine = new SimulatedMachine({ recentBlocks: 16, archive: false });
    await chain(machine, 3);
    for (let i = 0; i < 3; i++) powerLoss(machine);
    expect(machine.store.stats().replayed).toBeGreaterThan(0);
    await machine.database.flush();
    powerLoss(machine);
    expect(machine.store.stats().replayed).toBe(0);
    expect(machine.store.head?.number).toBe(3n);
  });

  it("reports how much of a torn log it truncated", async () => {
    const machine = new SimulatedMachine({ recentBlocks: 16, archive: false });
    await chain(machine, 2);
    await turns(1);
    void commit(machine.store, 3);
    machine.losePower((bytes) => bytes - 1);
    machine.start();
    expect(machine.store.head?.number).toBe(2n);
    expect(machine.store.stats().truncatedBytes).toBeGreaterThan(0);
  });

  it("rejects an engine with a changed row", async () => {
    const machine = new SimulatedMachine({ recentBlocks: 16, archive: false });
    await chain(machine, 2);
    const flat = machine.database.table("state.flat");
    const [key, row] = [...flat.range(new Uint8Array(0))][0] as [Uint8Array, Uint8Array];
    row[row.length - 6] = (row[row.length - 6] as number) ^ 1;
    flat.put(key, row);
    expect(() => machine.store.verify()).toThrow(expect.objectContaining({ code: "STATE_DAMAGED" }));
  });

  it("keeps an archive's states after the mode changes, and starts another archive after the gap", async () => {
    const machine = new SimulatedMachine({ recentBlocks: 2, archive: true });
    await chain(machine, 6);
    expect(machine.store.at(0n)?.account(addressOf(1))?.balance).toBe(1n);
    await machine.database.flush();
    powerLoss(machine, { archive: false });
    for (const number of [7, 8, 9]) await commit(machine.store, number);
    await machine.database.flush();
    powerLoss(machine, { archive: true });
    for (const number of [10, 11, 12, 13]) await commit(machine.store, number);
    for (const number of [0n, 3n, 5n, 6n])
      expect(machine.store.at(number)?.account(addressOf(1))?.balance).toBe(number + 1n);
    expect(machine.store.at(7n)).toBeUndefined();
    expect(machine.store.at(8n)).toBeUndefined();
    expect(machine.store.at(9n)?.account(addressOf(1))?.balance).toBe(10n);
  });
});
