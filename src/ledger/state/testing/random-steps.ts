import fc from "fast-check";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { AccountChange } from "../state.ts";
import { balanceChange, contractChange } from "./model.ts";

/** States that the store keeps in full. */
export const RECENT = 6;
/** The store keeps the state of every block whose number is a multiple of this. */
export const FULL_STEP = 4;
/** Number of accounts without code; their indices begin at 0. */
export const ACCOUNTS = 40;
/** Indices of the contracts. */
export const CONTRACTS = [100, 101, 102];

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

/** What happens to a store, or to its machine. */
export type Step =
  | { readonly type: "block"; readonly accounts: readonly AccountChange[]; readonly discard: boolean }
  | { readonly type: "amend"; readonly accounts: readonly AccountChange[]; readonly undo: boolean }
  | { readonly type: "rewind"; readonly blocks: number }
  | { readonly type: "turns"; readonly count: number }
  | { readonly type: "crash"; readonly keep: number };

const accountChanges = fc.uniqueArray(accountChange, {
  selector: ({ address }) => bytesToHex(address),
  maxLength: 12,
});

/** Any step, mostly blocks. */
export const step: fc.Arbitrary<Step> = fc.oneof(
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
