import type { ExecutedBlock } from "../../../ledger/chain/chain.ts";
import type { PreviewedBlock } from "../../../ledger/chain/execute/block-processor.ts";
import type { BlockPreview } from "../../../ledger/chain/execute/pending.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { blockHash } from "../../../protocol/block/hash.ts";

/** A preview with everything it depends on. */
export interface Sight {
  readonly seen: readonly unknown[];
  readonly previewed: PreviewedBlock;
  readonly preview: BlockPreview;
  block: ExecutedBlock | undefined;
  /** Present while its roots are computed in turns with other work. */
  completing: Promise<ExecutedBlock | undefined> | undefined;
  /** `#edits` when it was begun. */
  readonly edits: number;
  /** Milliseconds of `Clock.elapsed`. */
  readonly madeMs: number;
  /** How long it took. */
  readonly costMs: number;
}

/** When the building of a preview began: milliseconds of `Clock.elapsed`, and `#edits`. */
export interface Begun {
  readonly ms: number;
  readonly edits: number;
}

/** Whether two previews depend on the same values. */
export function isSame(seen: readonly unknown[], then: readonly unknown[]): boolean {
  return seen.every((part, i) => part === then[i]);
}

/** Stores the block of a preview, now that it has its roots. */
export function keep(sight: Sight, block: Block): ExecutedBlock {
  sight.block = { block, hash: blockHash(block.header), receipts: sight.preview.receipts };
  return sight.block;
}
