import { expect, it } from "vitest";
import { api } from "../../../api/rpc/spec/api.ts";
import type { Method } from "../../../api/rpc/spec/method.ts";
import { runsMessage } from "./running-methods.ts";

it("are sends, and those whose first parameters are a message that may revert and its block", () => {
  const running = Object.entries<Method>(api).filter(([, method]) => runsMessage(method));
  const of = (params: string) =>
    running
      .filter(([, method]) => Object.keys(method.params).slice(0, 2).join() === params)
      .map(([name]) => name);
  expect(of("call,block").sort()).toEqual([
    ...["auction_call", "eth_call", "eth_estimateGas"],
    ...["kaia_call", "kaia_estimateComputationCost", "kaia_estimateGas"],
  ]);
  expect(of("tx").sort()).toEqual([
    ...["eth_sendTransaction", "kaia_sendTransaction", "kaia_sendTransactionAsFeePayer"],
  ]);
  expect(running).toHaveLength(9);
});
