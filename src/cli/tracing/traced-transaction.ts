import { ArtifactLibrary } from "../../api/artifacts/artifact-library.ts";
import { stackTrace } from "../../api/artifacts/stack-trace.ts";
import { readTrace, type TraceFrame } from "../../api/artifacts/trace-frame.ts";
import { contractsOfTrace, type TracedContracts } from "../../api/artifacts/traced-contracts.ts";
import type { SendRequest } from "../../api/client/client.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { UsageError } from "../command.ts";

/** A transaction of a node with its calls. */
export interface TransactionTrace {
  readonly root: TraceFrame;
  readonly known: TracedContracts;
  /** Source locations of its failure; empty if it succeeded, or the location is unknown. */
  readonly stack: readonly string[];
  readonly blockNumber: bigint;
}

/** Other nodes have no `executionTracer`: their call tracer shows calls and logs. */
const OTHERS_TRACER = { tracer: "callTracer", tracerConfig: { withLog: true } };

/**
 * Traces a transaction through any node that serves `debug_traceTransaction`.
 * @param folders - of artifacts
 * @throws UsageError for a transaction that the node does not know, or has not included in a block
 */
export async function traceTransaction(
  hash: string,
  request: SendRequest,
  folders: readonly string[],
): Promise<TransactionTrace> {
  const found = (await request("eth_getTransactionByHash", [hash])) as { blockNumber?: unknown } | null;
  if (found === null) throw new UsageError(`the node knows no transaction ${hash}`);
  if (typeof found.blockNumber !== "string") throw new UsageError(`transaction ${hash} is in no block yet`);
  const root = readTrace(await trace(hash, request));
  const library = new ArtifactLibrary({
    ...{ folders, now: () => performance.now(), pace: { isDue: () => false, yield: async () => {} } },
  });
  await library.refresh();
  const at = found.blockNumber;
  const known = await contractsOfTrace(root, library.contracts, async (address) =>
    hexToBytes((await request("eth_getCode", [bytesToHex(address), at])) as string),
  );
  return { root, known, stack: stackTrace(root, known), blockNumber: BigInt(at) };
}

async function trace(hash: string, request: SendRequest): Promise<unknown> {
  try {
    return await request("debug_traceTransaction", [hash, { tracer: "executionTracer" }]);
  } catch (error) {
    if (!/tracer|ReferenceError|not defined/i.test((error as Error).message)) throw error;
    return request("debug_traceTransaction", [hash, OTHERS_TRACER]);
  }
}
