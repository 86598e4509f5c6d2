import type { Chain } from "../../../../ledger/chain/chain.ts";
import { STATUS_REVERTED, STATUS_SUCCESS } from "../../../../protocol/block/status.ts";
import type { Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { ErrorCode, RpcError } from "../../engine/errors.ts";
import type { Provider } from "../../transports/provider.ts";
import { revertMessage } from "../calls/anvil-errors.ts";

/** What reporting failures needs. */
export interface FailureDeps {
  readonly chain: Chain;
  /** The node's own methods, to trace the reason. */
  readonly request: Provider["request"];
}

/** The members used of the call tracer's output. */
interface FailedFrame {
  readonly error?: string;
  readonly output?: string;
}

/**
 * Throws for the first of the transactions that is in a block and failed, as Hardhat Network does: code 3 if a contract
 * reverted, else -32000, both with the returned bytes as data, which test libraries look for.
 * @throws RpcError
 */
export async function throwFailure(hashes: readonly Hash[], { chain, request }: FailureDeps): Promise<void> {
  for (const hash of hashes) {
    const place = chain.locate(hash);
    const receipt = place && chain.receipts(place.blockNumber)?.[place.index];
    if (receipt === undefined || receipt.status === STATUS_SUCCESS) continue;
    const params = [bytesToHex(hash), { tracer: "callTracer" }];
    const frame = (await request({ method: "debug_traceTransaction", params })) as FailedFrame;
    throw failure(hash, receipt.status === STATUS_REVERTED, frame);
  }
}

function failure(
  hash: Hash,
  isReverted: boolean,
  { error = "failed", output = "0x" }: FailedFrame,
): RpcError {
  const text = isReverted ? revertMessage(hexToBytes(output)) : error;
  const code = isReverted ? ErrorCode.reverted : ErrorCode.server;
  return new RpcError(code, `${text} (transaction ${bytesToHex(hash)})`, output);
}
