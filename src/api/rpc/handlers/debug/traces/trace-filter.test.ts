import { expect, it } from "vitest";
import type { CallContext } from "../../../spec/method.ts";
import type { ChainReader } from "../../chain/chain-reader.ts";
import { type FlatTraces, MAX_CHARACTERS } from "./flat-trace-lists.ts";
import { filteredTraces } from "./trace-filter.ts";

const context = { signal: new AbortController().signal } as CallContext;
const trace = {
  ...{ type: "call", traceAddress: [], subtraces: 0 },
  action: { from: "0x01", to: "0x02", input: "f".repeat(MAX_CHARACTERS / 4) },
};
/** Blocks with one trace each, a quarter as long as a response may be. */
function filter(toBlock: bigint, count?: bigint) {
  const reader = { resolve: (number: bigint) => number, requireBlock: () => ({}) } as unknown as ChainReader;
  const limits = { timeMs: 1_000, characters: MAX_CHARACTERS };
  const traces = { limits, located: async () => [trace] } as unknown as FlatTraces;
  let turns = 0;
  const pace = { isDue: () => true, yield: async () => void turns++ };
  const found = filteredTraces({ fromBlock: 1n, toBlock, count } as never, { reader, traces, pace }, context);
  return found.then(({ length }) => ({ length, turns }));
}

it("yields between blocks, and between traces", async () => {
  expect(await filter(3n)).toEqual({ length: 3, turns: 6 });
});

it("holds no more than a response may have, however many blocks contribute", async () => {
  await expect(filter(4n)).rejects.toThrow(`the traces are larger than ${MAX_CHARACTERS} characters`);
  expect(await filter(900n, 3n)).toMatchObject({ length: 3 });
});
