import type { WireObject } from "../../../api/rpc/spec/values/wire-types.ts";
import { checksumAddress } from "../../../protocol/account/address.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";

/** A receipt as ethers 6 writes it, which is what the managed service returns: big numbers as decimal texts. */
export function receiptJson(receipt: WireObject): { readonly [member: string]: Json } {
  const logs = receipt["logs"] as readonly WireObject[];
  return {
    _type: "TransactionReceipt",
    blockHash: receipt["blockHash"] ?? null,
    blockNumber: plain(receipt["blockNumber"]),
    contractAddress: checksummed(receipt["contractAddress"]),
    cumulativeGasUsed: decimal(receipt["cumulativeGasUsed"]),
    from: checksummed(receipt["from"]),
    gasPrice: decimal(receipt["effectiveGasPrice"]),
    gasUsed: decimal(receipt["gasUsed"]),
    hash: receipt["transactionHash"] ?? null,
    index: plain(receipt["transactionIndex"]),
    logs: logs.map(logJson),
    logsBloom: receipt["logsBloom"] ?? null,
    status: plain(receipt["status"]),
    to: checksummed(receipt["to"]),
  };
}

function logJson(log: WireObject): { [member: string]: Json } {
  return {
    _type: "log",
    address: checksummed(log["address"]),
    blockHash: log["blockHash"] ?? null,
    blockNumber: plain(log["blockNumber"]),
    data: log["data"] ?? null,
    index: plain(log["logIndex"]),
    removed: false,
    topics: log["topics"] ?? [],
    transactionHash: log["transactionHash"] ?? null,
    transactionIndex: plain(log["transactionIndex"]),
  };
}

function plain(quantity: Json | undefined): number {
  return Number(quantity);
}

function decimal(quantity: Json | undefined): string {
  return BigInt(quantity as string).toString();
}

function checksummed(address: Json | undefined): string | null {
  return typeof address === "string" ? checksumAddress(hexToBytes(address)) : null;
}
