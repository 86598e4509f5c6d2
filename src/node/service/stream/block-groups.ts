import { RpcError } from "../../../api/rpc/engine/errors.ts";
import { objectText } from "../../../api/rpc/engine/text/list-text.ts";
import { ChainReader } from "../../../api/rpc/handlers/chain/chain-reader.ts";
import { consensusBlock } from "../../../api/rpc/handlers/consensus/consensus-block.ts";
import type { Text } from "../../../api/rpc/spec/values/json-text.ts";
import { StreamError } from "../../../api/stream/errors.ts";
import type { GroupSource } from "../../../api/stream/groups/group-source.ts";
import { type CallFrame, internalTrace, NO_TRACE } from "../../../api/stream/groups/trace-group.ts";
import { parseJsonPaced } from "../../../platform/intake/parse-json-paced.ts";
import { type Pace, runPaced } from "../../../platform/runtime/turns/pace.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import type { Counter } from "../../../platform/telemetry/metrics.ts";
import { type Json, stringify } from "../../../protocol/codec/json/value.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import type { Ledger } from "../../storage/ledger.ts";

/** Maximum values in the traces of one block: each costs memory. */
const MAX_VALUES = 5_000_000;
/** Calls are nested 1,024 deep at most, and each takes two levels of brackets. */
const MAX_DEPTH = 2_100;
const SERVER_ERROR = -32000;
/** Members that only the RPC response has. */
const UNSTREAMED: ReadonlySet<string> = new Set(["committers", "sigHash"]);

/** Dependencies of the groups. */
export interface BlockGroupDeps {
  readonly ledger: Pick<Ledger, "chain" | "extensions">;
  /** Yields to other work between small steps. */
  readonly pace: Pace;
  /** Calls a method of the node. @returns its result as JSON text */
  readonly call: (method: string, params: readonly Json[]) => Promise<Text>;
  readonly logger: Logger;
  /** Counts transactions without a trace. */
  readonly traceFailures: Counter;
}

/** The blocks of a node, in the forms of the event stream. */
export function blockGroups(deps: BlockGroupDeps): GroupSource {
  const { chain } = deps.ledger;
  return {
    head: () => chain.head.header.number,
    hash: (number) => chain.hash(number),
    group: (kind, number) => (kind === "block" ? blockGroup(deps, number) : traceGroup(deps, number)),
    onHead: (listener) => chain.onHead(({ removed }) => listener(removed.at(-1)?.block.header.number)),
  };
}

/** A block with receipts in place of transactions, like `kaia_getBlockWithConsensusInfo…` except for two members. */
async function blockGroup({ ledger, pace }: BlockGroupDeps, number: bigint): Promise<Uint8Array> {
  const { chain, extensions } = ledger;
  const located = new ChainReader(chain, undefined).requireBlock({ number });
  const { object, name, items } = consensusBlock({ chain, extensions }, located);
  const members = Object.entries(object).filter(([member]) => !UNSTREAMED.has(member));
  const inOrder = Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
  const { text } = await runPaced(pace, objectText({ object: inOrder, name, items }));
  return message(number, text);
}

async function traceGroup(deps: BlockGroupDeps, number: bigint): Promise<Uint8Array | undefined> {
  const { chain } = deps.ledger;
  const block = chain.block(number);
  if (block === undefined) throw new StreamError("STATE", `there is no block ${number}`);
  if (block.transactions.length === 0) return undefined;
  const traces = await tracesOf(deps, number, block.transactions.length);
  const texts: string[] = [];
  for (const trace of traces) {
    texts.push(stringify(trace));
    if (deps.pace.isDue()) await deps.pace.yield();
  }
  return message(number, `[${texts.join(",")}]`);
}

/** @throws StreamError `PAUSED` if the state before the block is not kept; errors that may pass when retried */
async function tracesOf(deps: BlockGroupDeps, number: bigint, count: number): Promise<Json[]> {
  const { call, logger, pace, traceFailures } = deps;
  const failed = (failures: number, reason: string): void => {
    traceFailures.add(failures);
    logger.error("transactions are published without their traces", { number, failures, reason });
  };
  let text: Text;
  try {
    text = await call("debug_traceBlockByNumber", [
      `0x${number.toString(16)}`,
      { tracer: "fastCallTracer", timeout: "30s" },
    ]);
  } catch (error) {
    if (isPruned(error)) throw pruned(number);
    // Too long or too large: a retry would end the same way.
    if (!(error instanceof RpcError && error.rpcCode === SERVER_ERROR)) throw error;
    failed(count, error.message);
    return Array.from({ length: count }, () => NO_TRACE);
  }
  const answered = await parseJsonPaced(new TextEncoder().encode(String(text)), MAX_VALUES, pace, MAX_DEPTH);
  // What the tracer is declared to return.
  const results = answered as unknown as readonly { readonly result?: CallFrame; readonly error?: string }[];
  const failure = results.find(({ result }) => result === undefined);
  if (failure !== undefined)
    failed(results.filter(({ result }) => result === undefined).length, failure.error ?? "");
  return results.map(({ result }) => (result === undefined ? NO_TRACE : internalTrace(result)));
}

function isPruned(error: unknown): boolean {
  return error instanceof NodeError && error.code === "STATE_PRUNED";
}

function pruned(number: bigint): StreamError {
  const text =
    `the state before block ${number} is no longer available, so its calls cannot be traced: run the node with ` +
    "--gcmode archive, or publish only the blocks with chaindatafetcher_startRangeFetching and set the checkpoint after them";
  return new StreamError("PAUSED", text, { number });
}

function message(number: bigint, result: Text): Uint8Array {
  const [before, after] = [`{"blockNumber":${number},"result":`, "}"];
  if (typeof result === "string") return Buffer.from(before + result + after);
  return Buffer.concat(result.within(before, after).pieces as Uint8Array[]);
}
