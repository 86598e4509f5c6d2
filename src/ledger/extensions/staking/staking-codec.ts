import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { bigintToBytes } from "../../../protocol/primitives/bytes.ts";
import type { StakingInfo, StakingNode } from "./staking-info.ts";

/** Encodes staking information for storage; used before kaia only, so without liquidity pools. */
export function encodeStakingInfo(info: StakingInfo): Uint8Array {
  const nodes = info.nodes.map((node) => [
    node.nodeId,
    node.stakingContract,
    node.rewardAddress,
    bigintToBytes(node.amount),
  ]);
  return encodeItem([bigintToBytes(info.sourceBlock), info.kefAddress, info.kifAddress, nodes]);
}

/** Decodes the output of `encodeStakingInfo`. @throws RlpError */
export function decodeStakingInfo(bytes: Uint8Array): StakingInfo {
  const reader = new RlpReader(bytes);
  reader.enterList("staking");
  const sourceBlock = reader.uint();
  const kefAddress = reader.fixed(20, "common.Address");
  const kifAddress = reader.fixed(20, "common.Address");
  const nodes: StakingNode[] = [];
  reader.enterList("nodes");
  while (!reader.atEnd) nodes.push(readNode(reader));
  reader.leaveList();
  reader.leaveList();
  reader.finish();
  return { sourceBlock, nodes, kefAddress, kifAddress };
}

function readNode(reader: RlpReader): StakingNode {
  reader.enterList("node");
  const node = {
    nodeId: reader.fixed(20, "common.Address"),
    stakingContract: reader.fixed(20, "common.Address"),
    rewardAddress: reader.fixed(20, "common.Address"),
    amount: reader.uint(),
  };
  reader.leaveList();
  return node;
}
