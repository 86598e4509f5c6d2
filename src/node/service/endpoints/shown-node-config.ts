import type { WireObject } from "../../../api/rpc/spec/values/wire-types.ts";
import { checksumAddress } from "../../../protocol/account/address.ts";
import type { NodeOptions } from "../../node-options.ts";

const NANOSECONDS = 1_000_000;

/** The options as members of the reference's `cn.Config`, as far as they apply here; durations in nanoseconds. */
export function shownNodeConfig(
  { sealing, rewardbase, gasCap, evmTimeoutMs }: NodeOptions,
  networkId: bigint,
  isArchive: boolean,
): WireObject {
  return {
    NetworkId: Number(networkId),
    SyncMode: "full",
    NoPruning: isArchive,
    WorkerDisable: sealing?.kind === "manual",
    SenderTxHashIndexing: true,
    ...(rewardbase && { Rewardbase: checksumAddress(rewardbase) }),
    ...(gasCap !== undefined && { RPCGasCap: Number(gasCap) }),
    ...(evmTimeoutMs !== undefined && { RPCEVMTimeout: evmTimeoutMs * NANOSECONDS }),
  };
}
