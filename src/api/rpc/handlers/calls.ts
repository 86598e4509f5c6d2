import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import { ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import type { Handlers } from "../method.ts";
import type { BlockRef } from "../spec/block-ref.ts";
import type { accessLists, ethCalls, kaiaCalls } from "../spec/calls.ts";
import { createAccessList } from "./access-list.ts";
import type { CallRunner } from "./call-runner.ts";

const LATEST: BlockRef = { number: "latest" };

/** Calls in the chain namespace. */
export function kaiaCallHandlers(runner: CallRunner): Handlers<typeof kaiaCalls> {
  return {
    call: ({ call, block }) => runner.call(call, block),
    estimateGas: ({ call, block, overrides }) => runner.estimateGas(call, block ?? LATEST, overrides),
    estimateComputationCost: ({ call, block }) => runner.run(call, block).computation,
  };
}

/** Calls in the eth namespace. */
export function ethCallHandlers(runner: CallRunner): Handlers<typeof ethCalls> {
  return {
    call: ({ call, block, overrides }) => runner.call(call, block, overrides),
    estimateGas: ({ call, block, overrides }) => runner.estimateGas(call, block ?? LATEST, overrides),
  };
}

/** Access lists, the same in both namespaces. */
export function accessListHandlers(runner: CallRunner, pool: TransactionPool): Handlers<typeof accessLists> {
  return {
    createAccessList: ({ call, block }) =>
      createAccessList(runner, call, block ?? LATEST, pool.nonce(call.from ?? ZERO_ADDRESS)),
  };
}
