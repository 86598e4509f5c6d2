import { nextBaseFee } from "../../../protocol/block/base-fee.ts";
import { maxBlobGas, nextExcessBlobGas } from "../../../protocol/block/blob-gas.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { decodeIstanbulExtra } from "../../../protocol/block/istanbul-extra.ts";
import type { ChainConfig, ParamReader } from "../../../protocol/params/config.ts";
import { GAS_PER_BLOB } from "../../../protocol/params/gas.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { ConsensusError } from "../errors.ts";

/** Minimum seconds between blocks. */
export const BLOCK_PERIOD = 1n;

/** Allowed clock drift of a block's timestamp, in milliseconds. */
export const ALLOWED_FUTURE_MS = 1_000;

/** Block score of every block sealed by Istanbul. */
export const ISTANBUL_BLOCK_SCORE = 1n;

/** Dependencies of the header rules that need no signatures. */
export interface HeaderRulesInput {
  readonly config: ChainConfig;
  readonly params: ParamReader;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/**
 * Verifies everything in a header that needs no signatures, in the reference's order.
 * @throws ConsensusError; `details.field` names the header's field
 */
export function verifyPlainFields(header: Header, parent: Header, input: HeaderRulesInput): void {
  verifyBaseFee(header, parent, input);
  verifyNotFuture(header, input.nowMs);
  verifyExtra(header);
  if (header.blockScore !== ISTANBUL_BLOCK_SCORE)
    throw new ConsensusError("HEADER_FORMAT", "invalid blockscore", { field: "blockScore" });
  if (parent.number !== header.number - 1n || !equalBytes(blockHash(parent), header.parentHash)) {
    throw new ConsensusError("UNKNOWN_ANCESTOR", "unknown ancestor", { field: "parentHash" });
  }
  if (parent.time + BLOCK_PERIOD > header.time)
    throw new ConsensusError("HEADER_TIME", "invalid timestamp", { field: "time" });
}

/** @see KIP-71 */
function verifyBaseFee(header: Header, parent: Header, { config, params }: HeaderRulesInput): void {
  const { baseFee, number } = header;
  if (!rulesAt(config, number).magma) {
    if (baseFee !== undefined) throw wrongFee("invalid baseFee before fork");
    return;
  }
  if (baseFee === undefined) throw wrongFee("header is missing baseFee");
  const want = nextBaseFee(parent, params.at(number));
  if (baseFee === want) return;
  const before = `parentBaseFee ${parent.baseFee ?? "<nil>"}, parentGasUsed ${parent.gasUsed}`;
  throw wrongFee(`invalid baseFee: have ${baseFee}, want ${want}, ${before}`);
}

function wrongFee(reason: string): ConsensusError {
  return new ConsensusError("HEADER_FEE", reason, { field: "baseFee" });
}

function verifyNotFuture(header: Header, nowMs: number): void {
  const latest = Math.floor((nowMs + ALLOWED_FUTURE_MS) / 1000);
  if (header.time > BigInt(latest)) {
    throw new ConsensusError("FUTURE_BLOCK", "block in the future", {
      field: "time",
      time: header.time,
      latest,
    });
  }
}

function verifyExtra(header: Header): void {
  try {
    decodeIstanbulExtra(header.extra);
  } catch (cause) {
    throw new ConsensusError("HEADER_FORMAT", "invalid extra data format", { field: "extra" }, { cause });
  }
}

/**
 * Checks the blob fields: absent before osaka, then derived from the parent.
 * @throws ConsensusError
 * @see EIP-4844, KIP-279
 */
export function verifyBlobFields(header: Header, parent: Header, config: ChainConfig): void {
  const { excessBlobGas, blobGasUsed } = header;
  if (!rulesAt(config, header.number).osaka) {
    if (excessBlobGas !== undefined)
      throw wrongBlob("excessBlobGas", "unexpected excessBlobGas before osaka");
    if (blobGasUsed !== undefined) throw wrongBlob("blobGasUsed", "unexpected blobGasUsed before osaka");
    return;
  }
  if (excessBlobGas === undefined) throw wrongBlob("excessBlobGas", "header is missing excessBlobGas");
  if (blobGasUsed === undefined) throw wrongBlob("blobGasUsed", "header is missing blobGasUsed");
  const most = maxBlobGas(config);
  if (blobGasUsed > most)
    throw wrongBlob("blobGasUsed", `blob gas used ${blobGasUsed} exceeds maximum allowance ${most}`);
  if (blobGasUsed % GAS_PER_BLOB !== 0n) {
    throw wrongBlob(
      "blobGasUsed",
      `blob gas used ${blobGasUsed} not a multiple of blob gas per blob ${GAS_PER_BLOB}`,
    );
  }
  const want = nextExcessBlobGas(parent, config);
  if (excessBlobGas !== want)
    throw wrongBlob("excessBlobGas", `invalid excessBlobGas: have ${excessBlobGas}, want ${want}`);
}

function wrongBlob(field: "blobGasUsed" | "excessBlobGas", reason: string): ConsensusError {
  return new ConsensusError("HEADER_BLOB", reason, { field });
}
