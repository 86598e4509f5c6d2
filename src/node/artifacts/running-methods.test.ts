import { expect, it } from "vitest";
import { api } from "../../api/rpc/spec/api.ts";
import type { Method } from "../../api/rpc/spec/method.ts";
import { runsMessage } from "./running-methods.ts";

it("are those whose message may revert, and take it and its block first", () => {
  const running = Object.entries<Method>(api).filter(([, method]) => runsMessage(method));
  expect(running.map(([name]) => name).sort()).toEqual([
    ...["auction_call", "eth_call", "eth_estimateGas"],
    ...["kaia_call", "kaia_estimateComputationCost", "kaia_estimateGas"],
  ]);
  for (const [, { params }] of running) expect(Object.keys(params).slice(0, 2)).toEqual(["call", "block"]);
});
