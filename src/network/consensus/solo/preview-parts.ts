import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { BlockProducer } from "../block-producer.ts";
import type { ConsensusEngine } from "../engine.ts";
import type { ProposerSettings } from "../proposer-settings.ts";
import type { ChainClock } from "./chain-clock.ts";

/** Dependencies of the previews. */
export interface PreviewParts {
  readonly chain: Blockchain;
  readonly pool: Pick<TransactionPool, "version">;
  readonly producer: BlockProducer;
  readonly engine: Pick<ConsensusEngine, "prepare">;
  readonly clock: ChainClock;
  readonly settings: Readonly<ProposerSettings>;
  /** Address of this validator. */
  readonly author: Address;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
}

/** Options of previews. */
export interface PreviewOptions {
  /** Further inputs of the next block; the value must change when they do. */
  readonly extraInputs?: () => unknown;
  /** Whether previews show receipts, and calls on them the proposer; the reference node v2.2.1 does neither. */
  readonly isOpen?: boolean;
}
