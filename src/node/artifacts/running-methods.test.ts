import { expect, it } from "vitest";
import { api } from "../../api/rpc/spec/api.ts";
import type { Method } from "../../api/rpc/spec/method.ts";
import { RUNNING_METHODS } from "./running-methods.ts";

it("are those whose message may revert, and take it and its block first", () => {
  expect([...RUNNING_METHODS].sort()).toEqual([
    ...["auction_call", "eth_call", "eth_estimateGas"],
    ...["kaia_call", "kaia_estimateComputationCost", "kaia_estimateGas"],
  ]);
  const methods: Readonly<Record<string, Method>> = api;
  for (const name of RUNNING_METHODS)
    expect(Object.keys(methods[name]?.params ?? {}).slice(0, 2)).toEqual(["call", "block"]);
});
