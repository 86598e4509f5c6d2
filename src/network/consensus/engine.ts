import type { ConsensusRules } from "../../ledger/chain/execute/consensus-rules.ts";
import type { Header } from "../../protocol/block/header.ts";
import type { BlockProducer } from "./block-producer.ts";

/**
 * What decides about blocks: which headers are right, what the next one says and, once it is started, when this node makes a
 * block. Checking and preparing never wait; agreeing on a block may take an engine as long as it takes, since a candidate holds
 * nothing of the chain.
 */
export interface ConsensusEngine extends ConsensusRules {
  /**
   * Makes the header of the block after `parent`, ready for execution: time, reward base, base fee, randao and blob
   * fields, votes, extra data with the validators and empty seals. Roots, bloom and gas used are zero.
   * @param nowMs - epoch milliseconds
   * @throws ConsensusError `UNAUTHORIZED` on a node that makes no blocks
   */
  prepare(parent: Header, nowMs: number): Header;
  /** Begins to make blocks with a producer. */
  start(producer: BlockProducer): void;
  /** Ends after the block that is being made; resolves when that is on disk. Can be called twice. */
  stop(): Promise<void>;
}
