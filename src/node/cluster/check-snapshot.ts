import type { SnapshotPlace } from "../../network/cluster/change-log.ts";
import { ClusterError } from "../../network/cluster/errors.ts";
import { blockHash } from "../../protocol/block/hash.ts";
import { equalBytes } from "../../protocol/primitives/bytes.ts";
import type { Ledger } from "../storage/ledger.ts";

/**
 * Verifies the database of a snapshot: it has the block named by the log, its state hashes to the root in its newest header, and its
 * headers lead back to its genesis block. Nothing in the snapshot is trusted.
 * @throws ClusterError `LOG_INCONSISTENT`; DatabaseError and StateError for corruption
 */
export function checkSnapshot({ chain, own }: Ledger, { height, hash }: SnapshotPlace): void {
  const { header } = chain.tip;
  const there = chain.ancestry.hash(height);
  if (there === undefined || !equalBytes(there, hash) || own.head === undefined)
    throw wrong(height, "it has another block there");
  own.verify();
  if (!equalBytes(own.head.root, header.stateRoot))
    throw wrong(height, "its state is not the one of its header");
  let expected = chain.tip.hash;
  for (let number = header.number; number >= 0n; number--) {
    const found = chain.header(number);
    if (found === undefined || found.number !== number || !equalBytes(blockHash(found), expected))
      throw wrong(height, `its header ${number} is not the parent of the next one`);
    if (number === 0n && !equalBytes(expected, chain.genesisHash))
      throw wrong(height, "its genesis is another");
    expected = found.parentHash;
  }
}

function wrong(height: bigint, what: string): ClusterError {
  return new ClusterError("LOG_INCONSISTENT", `the snapshot of block ${height} is refused: ${what}`, {
    height,
  });
}
