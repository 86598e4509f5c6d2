import { expect, it } from "vitest";
import type { CallContext } from "../../../spec/method.ts";
import type { ChainReader } from "../../chain/chain-reader.ts";
import { type FlatTraces, MOST_CHARACTERS } from "./flat-trace-lists.ts";
import { filteredTraces } from "./trace-filter.ts";

const context = { signal: new AbortController().signal } as CallContext;
const trace = {
  ...{ type: "call", traceAddress: [], subtraces: 0 },
  action: { from: "0x01", to: "0x02", input: "f".repeat(MOST_CHARACTERS / 4) },
};
/** Blocks with a trace each that has a quarter of what an answer may have. */
function filter(toBlock: bigint, count?: bigint) {
  const reader = { resolve: (number: bigint) => number, requireBlock: () => ({}) } as unknown as ChainReader;
  const traces = { located: async () => [trace] } as unknown as FlatTraces;
  let turns = 0;
  const pace = { isDue: () => true, giveWay: async () => void turns++ };
  const found = filteredTraces({ fromBlock: 1n, toBlock, count } as never, { reader, traces, pace }, context);
  return found.then(({ length }) => ({ length, turns }));
}

it("lets others have their turn between two blocks, and two traces", async () => {
  expect(await filter(3n)).toEqual({ length: 3, turns: 6 });
});

it("keeps no more than an answer may have, however many blocks it takes to make that up", async () => {
  await expect(filter(4n)).rejects.toThrow(`the traces are larger than ${MOST_CHARACTERS} characters`);
  expect(await filter(900n, 3n)).toMatchObject({ length: 3 });
});
