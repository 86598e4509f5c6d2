import type { WireObject } from "../../../api/rpc/spec/values/wire-types.ts";
import { checksumAddress } from "../../../protocol/account/address.ts";
import type { NodeOptions } from "../../node-options.ts";

const NANOSECONDS = 1_000_000;

/** The options as members of the reference's `cn.Config`, as far as they apply here; durations in nanoseconds. */
export function shownNodeConfig(
  { history, dev, mining, rewardbase, senderTxHashIndexing = false, gasCap, evmTimeoutMs }: NodeOptions,
  networkId: bigint,
): WireObject {
  const isDev = dev !== undefined && dev !== false;
  return {
    NetworkId: Number(networkId),
    SyncMode: "full",
    NoPruning: (history ?? (isDev ? "archive" : "full")) === "archive",
    WorkerDisable: mining?.mode === "off",
    SenderTxHashIndexing: senderTxHashIndexing,
    ...(rewardbase && { Rewardbase: checksumAddress(rewardbase) }),
    ...(gasCap !== undefined && { RPCGasCap: Number(gasCap) }),
    ...(evmTimeoutMs !== undefined && { RPCEVMTimeout: evmTimeoutMs * NANOSECONDS }),
  };
}
