import type { ConsensusRules } from "../../ledger/chain/execute/consensus-rules.ts";
import type { Header } from "../../protocol/block/header.ts";
import type { BlockProducer } from "./block-producer.ts";

/**
 * A consensus engine: decides which headers are valid, what the next one contains and, once started, when this node seals a block.
 * Verification and preparation are synchronous; agreement on a block may take any time, since a candidate holds no lock on the chain.
 */
export interface ConsensusEngine extends ConsensusRules {
  /**
   * The header of the block after `parent`, ready for execution: time, reward base, base fee, randao and blob fields,
   * votes, extra data with the validators and empty seals. Roots, bloom and gas used are zero.
   * @param nowMs - epoch milliseconds
   * @throws ConsensusError `UNAUTHORIZED` on a node that seals no blocks
   */
  prepare(parent: Header, nowMs: number): Header;
  /** Starts sealing blocks drafted by a producer. */
  start(producer: BlockProducer): void;
  /** Stops after the block in progress; resolves once that is on disk. May be called twice. */
  stop(): Promise<void>;
}
