import { expect, it } from "vitest";
import { createStateStore } from "../../../ledger/state/create-state-store.ts";
import { StateError } from "../../../ledger/state/errors.ts";
import type { StateStore } from "../../../ledger/state/state.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { openRecorded, readFixture, recordedBlocks } from "../testing/recorded-chain.ts";

const GENESIS = readFixture("bft4/genesis.json").toString();
const blocks = [...recordedBlocks("bft4")].slice(0, 60);

/** What the rules remember of votes. */
function remembered({ extensions: { params, validators } }: Awaited<ReturnType<typeof openRecorded>>) {
  return {
    votes: params.votes().size,
    council: validators.council(60n).map(bytesToHex),
    governance: params.data().length,
  };
}

it("a branch deeper than the chain can be rewound leaves chain and rules as they are", async () => {
  const store = await createStateStore({ engine: "memory", history: "archive", recentBlocks: 4 });
  const recorded = await openRecorded(GENESIS, { store });
  for (const block of blocks.slice(0, 59)) await recorded.insert(block);
  const before = remembered(recorded);
  const branch = await recorded.branches.openAfter(2n, async (side) => {
    for (const block of blocks.slice(2)) await side.add(block);
    return side;
  });
  await expect(recorded.chain.insertBranch(branch)).rejects.toMatchObject({ code: "STATE_PRUNED" });
  expect(remembered(recorded)).toEqual(before);
  await recorded.insert(blocks[59] as Block);
  expect(recorded.chain.tip.header.number).toBe(60n);
});

it("a block whose commit fails can be inserted later, with all rows of the rules", async () => {
  const store = await createStateStore({ engine: "memory", history: "archive" });
  let failsNext = false;
  const failing: StateStore = Object.create(store, {
    stageInSteps: {
      *value(changes: Parameters<StateStore["stage"]>[0]) {
        const staged = yield* store.stageInSteps(changes);
        return {
          root: staged.root,
          isCurrent: true,
          *commitInSteps(...terms: Parameters<typeof staged.commitInSteps>) {
            if (failsNext) {
              failsNext = false;
              throw new StateError("STATE_STALE", "the disk fails");
            }
            return yield* staged.commitInSteps(...terms);
          },
        };
      },
    },
  });
  const names = ["get", "range", "latest", "at", "write", "watch", "stage", "code", "close"] as const;
  for (const name of names)
    Object.defineProperty(failing, name, { value: (store[name] as CallableFunction).bind(store) });
  for (const name of ["head", "health"] as const)
    Object.defineProperty(failing, name, { get: () => store[name] });
  const recorded = await openRecorded(GENESIS, { store: failing });
  const whole = await openRecorded(GENESIS);
  for (const block of blocks) {
    failsNext = true;
    await expect(recorded.insert(block)).rejects.toThrow("the disk fails");
    await recorded.insert(block);
    await whole.insert(block);
  }
  expect(remembered(recorded)).toEqual(remembered(whole));
  const reopened = await openRecorded(GENESIS, { store });
  expect(remembered(reopened)).toEqual(remembered(whole));
}, 60_000);
