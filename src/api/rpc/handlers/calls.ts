import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import { ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import type { BlockRef } from "../spec/block-ref.ts";
import type { accessLists, ethCalls, kaiaCalls } from "../spec/calls.ts";
import type { Handlers } from "../spec/method.ts";
import { createAccessList } from "./access-list.ts";
import type { CallRunner } from "./call-runner.ts";

const LATEST: BlockRef = { number: "latest" };

/** Calls in the chain namespace. */
export function kaiaCallHandlers(runner: CallRunner): Handlers<typeof kaiaCalls> {
  return {
    call: ({ call, block }, context) => runner.call(call, block, undefined, context),
    estimateGas: ({ call, block, overrides }, context) =>
      runner.estimateGas(call, block ?? LATEST, overrides, context),
    estimateComputationCost: async ({ call, block }, context) =>
      (await runner.run(call, block, undefined, context)).computation,
  };
}

/** Calls in the eth namespace. */
export function ethCallHandlers(runner: CallRunner): Handlers<typeof ethCalls> {
  return {
    call: ({ call, block, overrides }, context) => runner.call(call, block, overrides, context),
    estimateGas: ({ call, block, overrides }, context) =>
      runner.estimateGas(call, block ?? LATEST, overrides, context),
  };
}

/** Access lists, the same in both namespaces. */
export function accessListHandlers(runner: CallRunner, pool: TransactionPool): Handlers<typeof accessLists> {
  return {
    createAccessList: ({ call, block }, context) =>
      createAccessList(runner, call, block ?? LATEST, pool.nonce(call.from ?? ZERO_ADDRESS), context),
  };
}
