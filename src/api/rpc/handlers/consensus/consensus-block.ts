import type { Chain } from "../../../../ledger/chain/chain.ts";
import { sortAddresses } from "../../../../ledger/extensions/valset/address-order.ts";
import { sealHash } from "../../../../protocol/block/hash.ts";
import { roundOf } from "../../../../protocol/block/istanbul-extra.ts";
import type { Receipt } from "../../../../protocol/block/receipt.ts";
import { authorOf, committersOf } from "../../../../protocol/block/seal.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { type Address, ZERO_ADDRESS, ZERO_HASH } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { ListedObject } from "../../engine/text/list-text.ts";
import { type LocatedBlock, UNSEALED } from "../chain/chain-reader.ts";
import { kaiaView, locateReceipts, viewFrame } from "../chain/views.ts";
import { type CommitteeSources, committeeOf } from "./consensus-reader.ts";

/** A block with receipts in place of transactions, and its proposer and committee. */
export function consensusBlock(sources: CommitteeSources, located: LocatedBlock): ListedObject {
  const { chain, extensions } = sources;
  const { header } = located;
  const frame = viewFrame(kaiaView, located);
  if (header.number === 0n) return listed({ ...frame, ...UNDECIDED }, []);
  const object = {
    ...frame,
    committee: addresses(sortAddresses(committeeOf(sources, header))),
    committers: addresses(committersOf(header)),
    originProposer: bytesToHex(extensions.validators.proposer(header.number, 0)),
    proposer: bytesToHex(authorOf(header)),
    round: roundOf(header.extra),
    sigHash: bytesToHex(sealHash(header)),
  };
  return listed(object, receiptsOf(chain, located, chain.receipts(header.number) ?? []));
}

/** The block that this node would propose now, in the same form. */
export function pendingConsensusBlock(sources: CommitteeSources, located: LocatedBlock): ListedObject {
  const { chain, extensions } = sources;
  const { header, hash, pendingReceipts } = located;
  if (pendingReceipts === undefined) {
    const block = consensusBlock(sources, located);
    return { ...block, object: { ...block.object, ...UNSEALED } };
  }
  const proposer = bytesToHex(extensions.validators.proposer(header.number, 0));
  const object = {
    ...viewFrame(kaiaView, located),
    ...UNSEALED,
    ...{ committee: null, committers: [], originProposer: proposer, proposer, round: 0 },
    sigHash: bytesToHex(hash),
  };
  return listed(object, receiptsOf(chain, located, pendingReceipts));
}

/** The reference writes the members in the order of their names. */
function listed(members: ListedObject["object"], items: ListedObject["items"]): ListedObject {
  const names = Object.keys(members).sort();
  const object = Object.fromEntries(names.map((name) => [name, members[name] as Json]));
  return { object, name: "transactions", items };
}

/** Rendered one by one. */
function* receiptsOf(chain: Chain, located: LocatedBlock, receipts: readonly Receipt[]): Generator<Json> {
  for (const receipt of locateReceipts(located, receipts, chain.config.chainId))
    yield kaiaView.receipt(receipt) as Json;
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
