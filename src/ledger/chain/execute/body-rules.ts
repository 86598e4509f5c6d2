import { runSync } from "../../../platform/runtime/turns/pace.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { encodeBlock, MAX_BLOCK_SIZE } from "../../../protocol/block/block-codec.ts";
import { bodyRootInSteps } from "../../../protocol/block/body-root.ts";
import type { Rules } from "../../../protocol/params/forks.ts";
import { GAS_PER_BLOB } from "../../../protocol/params/gas.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import { ChainError } from "../errors.ts";

/**
 * Checks all rules on a block's body that need no execution: size, transactions root, prices and blobs.
 * @param deriveShaImpl - the governance parameter of the block, see `deriveSha`
 * @throws ChainError `BAD_BLOCK` with the reference node's text; `details` name the field, and the transaction's index
 */
export function verifyBody(block: Block, rules: Rules, deriveShaImpl: number): void {
  runSync(verifyBodyInSteps(block, rules, deriveShaImpl));
}

/** As `verifyBody`, in steps. */
export function* verifyBodyInSteps(block: Block, rules: Rules, deriveShaImpl: number): Generator<void, void> {
  checkSize(block, rules);
  yield;
  yield* checkRoot(block, deriveShaImpl);
  checkPrices(block);
  checkBlobs(block);
}

function checkSize(block: Block, rules: Rules): void {
  if (!rules.osaka) return;
  const size = encodeBlock(block).length;
  if (size > MAX_BLOCK_SIZE) {
    throw badBlock("size", "block RLP-encoded size exceeds maximum", { have: size, want: MAX_BLOCK_SIZE });
  }
}

function* checkRoot({ header, transactions }: Block, deriveShaImpl: number): Generator<void, void> {
  const root = yield* bodyRootInSteps(deriveShaImpl, transactions);
  if (equalBytes(root, header.transactionsRoot)) return;
  const [have, want] = [plainHex(root), plainHex(header.transactionsRoot)];
  const text = `transaction root hash mismatch: have ${have}, want ${want}`;
  throw badBlock("transactionsRoot", text, { have, want });
}

function checkPrices({ header: { baseFee }, transactions }: Block): void {
  if (baseFee === undefined) return;
  for (const [transaction, tx] of transactions.entries()) {
    if (tx.gasPrice >= baseFee) continue;
    const hash = plainHex(transactionHash(tx));
    const text = `invalid GasPrice: txHash ${hash}, GasPrice ${tx.gasPrice}, BaseFee ${baseFee}`;
    throw badBlock("gasPrice", text, { transaction, have: tx.gasPrice, want: baseFee });
  }
}

function checkBlobs({ header: { blobGasUsed }, transactions }: Block): void {
  const blobs = transactions.reduce((sum, tx) => sum + (tx.blobVersionedHashes?.length ?? 0), 0);
  if (blobGasUsed === undefined) {
    if (blobs > 0)
      throw badBlock("transactions", "data blobs present in block body", { have: blobs, want: 0 });
    return;
  }
  const used = BigInt(blobs) * GAS_PER_BLOB;
  if (blobGasUsed / GAS_PER_BLOB === BigInt(blobs)) return;
  const text = `blob gas used mismatch (header ${blobGasUsed}, calculated ${used})`;
  throw badBlock("blobGasUsed", text, { have: blobGasUsed, want: used });
}

/** The error for a block that violates a rule on a field. */
export function badBlock(
  field: string,
  text: string,
  details: { readonly have?: unknown; readonly want?: unknown; readonly transaction?: number } = {},
): ChainError {
  return new ChainError("BAD_BLOCK", text, { field, ...details });
}

/** Hex without prefix, as the reference prints hashes in errors. */
export function plainHex(bytes: Uint8Array): string {
  return bytesToHex(bytes).slice(2);
}
