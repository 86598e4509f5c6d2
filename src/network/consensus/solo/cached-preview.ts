import type { ExecutedBlock } from "../../../ledger/chain/chain.ts";
import type { PreviewedBlock } from "../../../ledger/chain/execute/block-processor.ts";
import type { BlockPreview } from "../../../ledger/chain/execute/pending.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { blockHash } from "../../../protocol/block/hash.ts";

/** A preview with its inputs. */
export interface CachedPreview {
  readonly inputs: readonly unknown[];
  readonly previewed: PreviewedBlock;
  readonly preview: BlockPreview;
  block: ExecutedBlock | undefined;
  /** Present while its roots are being computed. */
  completing: Promise<ExecutedBlock | undefined> | undefined;
  /** `Blockchain.rewrites` when its build started. */
  readonly edits: number;
  /** Milliseconds of `Clock.elapsed`. */
  readonly madeMs: number;
  /** Build time in milliseconds. */
  readonly costMs: number;
}

/** The start of a build: milliseconds of `Clock.elapsed`, and `Blockchain.rewrites`. */
export interface BuildStart {
  readonly ms: number;
  readonly edits: number;
}

/** Whether two previews have the same inputs. */
export function sameInputs(inputs: readonly unknown[], then: readonly unknown[]): boolean {
  return inputs.every((part, i) => part === then[i]);
}

/** Stores the completed block of a preview. */
export function storeBlock(cached: CachedPreview, block: Block): ExecutedBlock {
  cached.block = { block, hash: blockHash(block.header), receipts: cached.preview.receipts };
  return cached.block;
}
