import { ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import type { accessLists, ethCalls, kaiaCalls } from "../../spec/calls/calls.ts";
import type { Handlers } from "../../spec/method.ts";
import { LATEST_BLOCK, PENDING_BLOCK } from "../../spec/values/block-ref.ts";
import type { DefaultSender } from "../transactions/eth.ts";
import type { EthFillingDeps } from "../transactions/eth-defaults.ts";
import { createAccessList } from "./access-list.ts";
import type { CallRunner } from "./call-runner.ts";

/** Calls in the chain namespace. */
export function kaiaCallHandlers(runner: CallRunner): Handlers<typeof kaiaCalls> {
  return {
    call: ({ call, block }, context) => runner.call(call, block, undefined, context),
    estimateGas: ({ call, block, overrides }, context) =>
      runner.estimateGas(call, block ?? LATEST_BLOCK, { state: overrides, ignoresFeeCap: true }, context),
    estimateComputationCost: async ({ call, block }, context) =>
      (await runner.run(call, block, undefined, context)).computation,
  };
}

/** Calls in the eth namespace. @param defaultSender - default `from` of estimates; absent = the zero address */
export function ethCallHandlers(
  runner: CallRunner,
  defaultSender?: DefaultSender,
): Handlers<typeof ethCalls> {
  return {
    call: ({ call, block, overrides, blockOverrides }, context) =>
      runner.call(call, block, { state: overrides, block: blockOverrides }, context),
    estimateGas: ({ call, block, overrides, blockOverrides }, context) =>
      runner.estimateGas(
        { ...call, from: call.from ?? defaultSender?.() ?? ZERO_ADDRESS },
        block ?? LATEST_BLOCK,
        { state: overrides, block: blockOverrides },
        context,
      ),
  };
}

/** Access lists, the same in both namespaces. */
export function accessListHandlers(deps: EthFillingDeps): Handlers<typeof accessLists> {
  return {
    createAccessList: ({ call, block }, context) =>
      createAccessList(deps, call, block ?? PENDING_BLOCK, context),
  };
}
