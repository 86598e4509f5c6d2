import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { ChangeLog, LogState } from "../change-log.ts";
import { ClusterError } from "../errors.ts";

/** Maximum number of blocks to rewind, as for reorganisations. */
const MAX_REWIND = 128n;

/**
 * The newest block that the chain up to its tip and the log have in common.
 * @throws ClusterError `DIVERGED` if there is none within reach
 */
export async function commonAncestor(chain: Blockchain, log: ChangeLog, state: LogState): Promise<bigint> {
  const tip = chain.tip.header.number;
  const from = tip < state.height ? tip : state.height;
  for (let height = from; height >= 0n && height + MAX_REWIND >= tip; height--) {
    const own = chain.ancestry.hash(height);
    // Records take precedence over the lease, which only names the block after which an empty log begins.
    const theirs = (await log.hashAt(height)) ?? (height === state.height ? state.hash : undefined);
    if (own !== undefined && theirs !== undefined && equalBytes(own, theirs)) return height;
    // The log has nothing older: its start block is trusted until the first record confirms it.
    if (height < state.first && height !== state.height) return height;
  }
  const text = `block ${tip} of this node is not in the change log, nor are the ${MAX_REWIND} blocks before it: begin again in an empty data folder`;
  throw new ClusterError("DIVERGED", text, { tip, head: state.height });
}

/**
 * Compares the lease with the records.
 * @throws ClusterError `BAD_RECORD` if they differ: a manually edited row must not cause a rewind
 */
export async function checkLease(
  log: Pick<ChangeLog, "hashAt" | "hasStray">,
  { height, hash, first }: LogState,
): Promise<void> {
  const refused = (what: string) =>
    new ClusterError("BAD_RECORD", `the lease of the change log ${what}: was it edited by hand?`, { height });
  if (first > height + 1n)
    throw refused(`names block ${height} as the newest one, and ${first} as the oldest`);
  const recorded = await log.hashAt(height);
  if (recorded !== undefined && !equalBytes(recorded, hash))
    throw refused(
      `names ${bytesToHex(hash)} as block ${height}, and the record of that height is of ${bytesToHex(recorded)}`,
    );
  if (await log.hasStray())
    throw refused(`names block ${height} as the newest one, and there are records above it`);
}

/**
 * Rewinds the chain to the common ancestor with the log. Must be called while nothing is being built on the removed blocks.
 * @returns the number of removed blocks
 * @throws ClusterError `DIVERGED`, `BAD_RECORD`
 */
export async function rewindToLog(chain: Blockchain, log: ChangeLog, state: LogState): Promise<number> {
  const ancestor = await commonAncestor(chain, log, state).catch(async (error) => {
    await checkLease(log, state); // a more specific error, if the lease is at fault
    throw error;
  });
  if (ancestor < chain.tip.header.number) await checkLease(log, state);
  return chain.exclusive(async () => {
    try {
      const removed = await chain.rewind(ancestor);
      chain.announceRewind();
      return removed.length;
    } catch (cause) {
      const text = `the blocks above ${ancestor} cannot be replaced by those of the change log: ${(cause as Error).message}`;
      throw new ClusterError("DIVERGED", text, { ancestor }, { cause });
    }
  });
}
