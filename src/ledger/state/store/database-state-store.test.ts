import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeAccount } from "../../../protocol/account/account-codec.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { AccountChange, Row, StateView } from "../state.ts";
import { SimulatedMachine, turns } from "../testing/machine.ts";
import { addressOf, balanceChange, contractChange, hashOf, ModelState, slotOf } from "../testing/model.ts";
import { followProof, slotLeafOf } from "../testing/proof.ts";

const RECENT = 6;
/** The store keeps the state of every block whose number is a multiple of this. */
const FULL_STEP = 4;
const ACCOUNTS = 40;
const CONTRACTS = [100, 101, 102];

/** Numbers under 100 are accounts, those from 100 on contracts. */
const accountChange: fc.Arbitrary<AccountChange> = fc.oneof(
  fc.tuple(fc.nat(ACCOUNTS - 1), fc.bigInt(0n, 5n)).map(([index, balance]) => balanceChange(index, balance)),
  fc
    .tuple(
      fc.constantFrom(...CONTRACTS),
      fc.array(fc.tuple(fc.nat(30), fc.nat(300)), { maxLength: 12 }),
      fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    )
    .map(([index, slots, cleared, gone]) =>
      gone
        ? { ...contractChange(index, [], true), account: undefined }
        : contractChange(index, slots, cleared),
    ),
);

type Step =
  | { readonly type: "block"; readonly accounts: readonly AccountChange[]; readonly discard: boolean }
  | { readonly type: "amend"; readonly accounts: readonly AccountChange[]; readonly undo: boolean }
  | { readonly type: "rewind"; readonly blocks: number }
  | { readonly type: "turns"; readonly count: number }
  | { readonly type: "crash"; readonly keep: number };

const accountChanges = fc.uniqueArray(accountChange, {
  selector: ({ address }) => bytesToHex(address),
  maxLength: 12,
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("block" as const),
      accounts: accountChanges,
      discard: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("amend" as const),
      accounts: accountChanges,
      undo: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("rewind" as const), blocks: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("turns" as const), count: fc.nat(3) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("crash" as const),
      keep: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
);

/** The chain of states after a record of the log, to which a crash may revert. */
interface Announced {
  readonly chain: readonly ModelState[];
  readonly row: string;
}

type Mode = "full" | "archive" | "changing";

class Scenario {
  readonly machine: SimulatedMachine;
  announced: Announced[] = [{ chain: [], row: "" }];
  acknowledged = 0;
  #branch = 0;

  readonly #changesMode: boolean;
  #isArchive: boolean;

  constructor(mode: Mode) {
    this.#isArchive = mode === "archive";
    this.#changesMode = mode === "changing";
    this.machine = new SimulatedMachine({
      recentBlocks: RECENT,
      archive: this.#isArchive,
      fullStep: FULL_STEP,
    });
  }

  get chain(): readonly ModelState[] {
    return (this.announced.at(-1) as Announced).chain;
  }

  async run(step: Step): Promise<void> {
    if (step.type === "block") this.#block(step.accounts, step.discard);
    else if (step.type === "amend") this.#amend(step.accounts, step.undo);
    else if (step.type === "rewind") this.#rewind(step.blocks);
    else if (step.type === "turns") await turns(step.count);
    else this.#crash(step.keep);
  }

  /** Compares everything that the store can return with the models. */
  check(mode: Mode): void {
    const { store } = this.machine;
    const head = this.chain.length - 1;
    expect(store.head?.number ?? -1n).toBe(BigInt(head));
    store.verify();
    if (head >= 0) checkView(store.latest(), this.chain[head] as ModelState, true);
    const { row } = this.announced.at(-1) as Announced;
    expect(Buffer.from(store.get("row", Uint8Array.of(1)) ?? []).toString()).toBe(row);
    for (let n = 0; n < head; n++) {
      const view = store.at(BigInt(n));
      if (view) checkView(view, this.chain[n] as ModelState, true);
      else expect(mode === "archive" || n % FULL_STEP === 0 || n > head - 1).toBe(false);
    }
  }

  #block(accounts: readonly AccountChange[], discard: boolean): void {
    const next = (this.chain.at(-1) ?? new ModelState()).with({ accounts });
    const staged = this.machine.store.stage({ accounts, codes: [] });
    expect(bytesToHex(staged.root)).toBe(bytesToHex(next.root()));
    if (discard) return;
    const number = this.chain.length;
    const row = `${number}-${this.#branch}`;
    const { durable } = staged.commit(
      { number: BigInt(number), hash: hashOf(number, this.#branch) },
      rows(row),
    );
    this.#announce({ chain: [...this.chain, next], row }, durable);
  }

  /** Changes the newest state without a block, and optionally undoes that. */
  #amend(accounts: readonly AccountChange[], undo: boolean): void {
    const head = this.chain.at(-1);
    if (head === undefined) return;
    const { row } = this.announced.at(-1) as Announced;
    const before = this.chain;
    const amendment = this.machine.store.amend({ accounts, codes: [] });
    this.#announce({ chain: [...before.slice(0, -1), head.with({ accounts })], row }, amendment.durable);
    if (undo) this.#announce({ chain: before, row }, amendment.undo().durable);
  }

  #rewind(blocks: number): void {
    const head = this.chain.length - 1;
    const to = Math.max(head - blocks, 0);
    if (head <= 0 || !this.machine.store.at(BigInt(to))) return;
    const row = `rewound to ${to}`;
    this.#branch++;
    let durable: Promise<void>;
    try {
      ({ durable } = this.machine.store.rewind({ number: BigInt(to), hash: hashOf(to) }, rows(row)));
    } catch (error) {
      // An archive has older states than it can rewind to.
      expect(error).toMatchObject({ code: "STATE_PRUNED" });
      return;
    }
    this.#announce({ chain: this.chain.slice(0, to + 1), row }, durable);
  }

  #announce(state: Announced, durable: Promise<void>): void {
    const sequence = this.announced.push(state) - 1;
    expect(this.machine.database.sequence).toBe(sequence);
    const { database } = this.machine;
    durable.then(() => {
      // A machine that lost power acknowledges nothing.
      if (database === this.machine.database) this.acknowledged = Math.max(this.acknowledged, sequence);
    });
  }

  #crash(keep: number): void {
    this.machine.losePower((bytes) => Math.floor(bytes * keep));
    if (this.#changesMode) this.#isArchive = !this.#isArchive;
    this.machine.start({ archive: this.#isArchive });
    const { sequence } = this.machine.database;
    expect(sequence).toBeGreaterThanOrEqual(this.acknowledged);
    this.announced = this.announced.slice(0, sequence + 1);
    this.acknowledged = sequence;
  }
}

const rows = (text: string): Row[] => [{ table: "row", key: Uint8Array.of(1), value: Buffer.from(text) }];

function checkView(view: StateView, model: ModelState, proofs: boolean): void {
  const names = [...model.accounts.keys()].sort();
  expect([...view.accounts()].map(({ address }) => bytesToHex(address)).sort()).toEqual(names);
  for (let index = 0; index < ACCOUNTS; index += 3) checkAccount(view, model, addressOf(index), proofs);
  for (const index of CONTRACTS) {
    checkAccount(view, model, addressOf(index), proofs);
    checkStorage(view, model, addressOf(index), proofs);
  }
}

function checkAccount(view: StateView, model: ModelState, address: Uint8Array, proofs: boolean): void {
  const expected = model.accounts.get(bytesToHex(address))?.account;
  expect(view.account(address)).toEqual(expected);
  if (!proofs) return;
  const leaf = followProof(model.root(), keccak256(address), view.proveAccount(address));
  expect(leaf).toEqual(expected && encodeAccount(expected));
}

function checkStorage(view: StateView, model: ModelState, address: Uint8Array, proofs: boolean): void {
  const expected = model.accounts.get(bytesToHex(address));
  const slots = [...view.slots(address)].map(({ slot, value }) => [bytesToHex(slot), bytesToHex(value)]);
  expect(new Map(slots as [string, string][])).toEqual(
    new Map([...(expected?.storage ?? [])].map(([slot, value]) => [slot, bytesToHex(value)])),
  );
  for (const index of [0, 7, 30]) {
    const slot = slotOf(index);
    const value = expected?.storage.get(bytesToHex(slot));
    expect(view.storage(address, slot)).toEqual(value ?? new Uint8Array(0));
    if (!proofs || !expected) continue;
    const proof = view.proveStorage(address, slot);
    expect(followProof(expected.account.storageRoot, keccak256(slot), proof)).toEqual(slotLeafOf(value));
  }
}

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
    for (const n of [0, 128, 256]) checkView(store.at(BigInt(n)) as StateView, models[n] as ModelState, true);
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
    for (const steps of [first, second]) for (let i = 0; i < 2; i++) expect(steps.next().done).toBe(false);
    expect(store.head).toBeUndefined();
    expect(store.get("row", rows[0]?.key as Uint8Array)).toBeUndefined();
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
