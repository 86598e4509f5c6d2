import { sortAddresses } from "../../../../ledger/extensions/valset/address-order.ts";
import { sealHash } from "../../../../protocol/block/hash.ts";
import { roundOf } from "../../../../protocol/block/istanbul-extra.ts";
import { authorOf, committersOf } from "../../../../protocol/block/seal.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { type Address, ZERO_ADDRESS, ZERO_HASH } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { type LocatedBlock, UNSEALED } from "../chain/chain-reader.ts";
import { kaiaView, locateReceipts, viewBlock } from "../chain/views.ts";
import type { ConsensusReader } from "./consensus-reader.ts";

/** A block with receipts in place of transactions, and its proposer and committee. */
export function consensusBlock(reader: ConsensusReader, located: LocatedBlock): WireObject {
  const { chain, extensions } = reader.deps;
  const { header } = located;
  const shown = viewBlock(kaiaView, located, chain.config.chainId, false);
  if (header.number === 0n) return { ...shown, ...UNDECIDED };
  const receipts = chain.receipts(header.number) ?? [];
  return {
    ...shown,
    committee: addresses(sortAddresses(reader.committeeOf(header))),
    committers: addresses(committersOf(header)),
    originProposer: bytesToHex(extensions.validators.proposer(header.number, 0)),
    proposer: bytesToHex(authorOf(header)),
    round: roundOf(header.extra),
    sigHash: bytesToHex(sealHash(header)),
    transactions: locateReceipts(located, receipts, chain.config.chainId).map(kaiaView.receipt) as Json[],
  };
}

/** The block that this node would propose now, in the same form. */
export function pendingConsensusBlock(reader: ConsensusReader, located: LocatedBlock): WireObject {
  const { chain, extensions } = reader.deps;
  const { header, hash, pendingReceipts } = located;
  if (pendingReceipts === undefined) return { ...consensusBlock(reader, located), ...UNSEALED };
  const proposer = bytesToHex(extensions.validators.proposer(header.number, 0));
  const receipts = locateReceipts(located, pendingReceipts, chain.config.chainId);
  return {
    ...viewBlock(kaiaView, located, chain.config.chainId, false),
    ...UNSEALED,
    ...{ committee: null, committers: [], originProposer: proposer, proposer, round: 0 },
    sigHash: bytesToHex(hash),
    transactions: receipts.map(kaiaView.receipt) as Json[],
  };
}

/** The genesis block has no committee. */
const UNDECIDED = {
  committee: null,
  committers: null,
  originProposer: null,
  proposer: bytesToHex(ZERO_ADDRESS),
  round: 0,
  sigHash: bytesToHex(ZERO_HASH),
};

function addresses(list: readonly Address[]): Json[] {
  return list.map(bytesToHex);
}
