import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runPaced } from "../../../platform/runtime/turns/pace.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { AccountChange } from "../state.ts";
import { SimulatedMachine } from "../testing/machine.ts";
import { balanceChange, contractChange, hashOf, ModelState } from "../testing/model.ts";

const RECENT = 6;
const FULL_STEP = 4;

const change: fc.Arbitrary<AccountChange> = fc.oneof(
  fc.tuple(fc.nat(20), fc.bigInt(0n, 3n)).map(([index, balance]) => balanceChange(index, balance)),
  fc
    .tuple(fc.constantFrom(100, 101), fc.array(fc.tuple(fc.nat(12), fc.nat(3)), { maxLength: 8 }), fc.nat(5))
    .map(([index, slots, fate]) =>
      fate === 0
        ? { ...contractChange(index, [], true), account: undefined }
        : contractChange(index, slots, fate === 1),
    ),
);
const block = fc.uniqueArray(change, { selector: ({ address }) => bytesToHex(address), maxLength: 8 });
const blocks = (minLength: number, maxLength: number) => fc.array(block, { minLength, maxLength });

/** A chain in a store, with the expected states. */
function chainOf(changes: readonly (readonly AccountChange[])[], archive: boolean) {
  const { store } = new SimulatedMachine({ recentBlocks: RECENT, archive, fullStep: FULL_STEP });
  const models: ModelState[] = [];
  const append = (accounts: readonly AccountChange[]) => {
    const number = models.length;
    models.push((models.at(-1) ?? new ModelState()).with({ accounts }));
    store.stage({ accounts, codes: [] }).commit({ number: BigInt(number), hash: hashOf(number) }, []);
  };
  for (const accounts of changes) append(accounts);
  return { store, models, append };
}

/** A pace that yields at every step. */
const pace = (onYield: () => void = () => {}) => ({
  isDue: () => true,
  yield: async () => onYield(),
});

describe("states after a block that are not stored", () => {
  it.each([
    ["recent states and some others", false],
    ["all states", true],
  ])(
    "have the right roots, on top of each state of a chain that keeps %s",
    async (_, archive) => {
      await fc.assert(
        fc.asyncProperty(blocks(1, 16), blocks(1, 4), blocks(0, 3), async (past, simulated, meanwhile) => {
          const { store, models, append } = chainOf(past, archive);
          const waiting = [...meanwhile];
          for (const [n, model] of models.slice().entries()) {
            if (!store.at(BigInt(n))) continue;
            let expected = model;
            let isOpen = false;
            const grow = () => {
              const next = isOpen ? waiting.shift() : undefined;
              if (next !== undefined) append(next);
            };
            await store.hashSuccessors(BigInt(n), pace(grow), async (hash) => {
              isOpen = true;
              for (const accounts of simulated) {
                expected = expected.with({ accounts });
                const { root } = await runPaced(pace(grow), hash({ accounts, codes: [] }));
                expect(bytesToHex(root)).toBe(bytesToHex(expected.root()));
              }
            });
          }
          store.verify();
        }),
        { numRuns: 15 },
      );
    },
    60_000,
  );

  it("are rejected on top of a pruned state", async () => {
    const { store } = chainOf(
      Array.from({ length: 12 }, (_, n) => [balanceChange(1, BigInt(n + 1))]),
      false,
    );
    const refused = (number: bigint) =>
      expect(store.hashSuccessors(number, pace(), async () => {})).rejects.toMatchObject({
        code: "STATE_PRUNED",
      });
    await refused(1n);
    await refused(12n);
  });
});
