import { failureOf } from "../../../../ledger/execution/calls/revert.ts";
import { simulatedTransaction } from "../../../../ledger/execution/calls/simulate.ts";
import { CallError, type RejectionCode, TransactionRejection } from "../../../../ledger/execution/errors.ts";
import type { SimulatedOutcome } from "../../../../ledger/execution/job.ts";
import { encodeBlock } from "../../../../protocol/block/block-codec.ts";
import { blockHash } from "../../../../protocol/block/hash.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import type { Rules } from "../../../../protocol/params/forks.ts";
import { bytesToHex, hexQuantity } from "../../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import { RpcError } from "../../engine/errors.ts";
import { renderEthBlock } from "../../render/eth-block.ts";
import { renderEthTransaction } from "../../render/eth-transaction.ts";
import { renderLog } from "../../render/receipt.ts";
import type { simulation } from "../../spec/calls/simulation.ts";
import type { Handlers } from "../../spec/method.ts";
import { LATEST_BLOCK } from "../../spec/values/block-ref.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import type { CompleteResult, SimulationRunner } from "./simulation-runner.ts";

/** Error codes. @see execution-apis, `eth_simulateV1` */
const REFUSALS: Partial<Record<RejectionCode, number>> = {
  NONCE_TOO_LOW: -38010,
  NONCE_TOO_HIGH: -38011,
  FEE_CAP: -38012,
  INTRINSIC_GAS: -38013,
  FLOOR_GAS: -38013,
  INSUFFICIENT_FUNDS: -38014,
  INSUFFICIENT_VALUE: -38014,
  INIT_CODE_TOO_LARGE: -38025,
  NONCE_MAX: -32603,
};
const BLOCK_GAS = -38015;
const REVERTED = 3;
const VM_ERROR = -32015;

/** Simulation in the eth namespace. */
export function simulationHandlers(runner: SimulationRunner): Handlers<typeof simulation> {
  return {
    async simulateV1({ simulation: args, block = LATEST_BLOCK }, context) {
      try {
        const { rules, results } = await runner.run(args, block, context);
        return results.map((result) => shownBlock(result, rules, args.returnFullTransactions ?? false));
      } catch (error) {
        throw refusal(error);
      }
    },
  };
}

function refusal(error: unknown): unknown {
  if (!(error instanceof CallError)) return error;
  if (error.code === "BLOCK_GAS") return new RpcError(BLOCK_GAS, error.message);
  const { cause } = error;
  const number = cause instanceof TransactionRejection ? REFUSALS[cause.code] : undefined;
  return number === undefined ? error : new RpcError(number, error.message);
}

function shownBlock({ header, sent, calls }: CompleteResult, rules: Rules, whole: boolean): WireObject {
  const { chainId } = rules;
  const hash = blockHash(header);
  const decoded = sent.map((call) => simulatedTransaction(call, chainId));
  const shown = decoded.map(
    (tx, index): Json =>
      whole
        ? renderEthTransaction({ tx, chainId, block: { header, hash, rules }, index })
        : bytesToHex(transactionHash(tx)),
  );
  const size = encodeBlock({ header, transactions: decoded }).length;
  const place = { blockHash: bytesToHex(hash), blockNumber: header.number, removed: false };
  let logIndex = 0;
  return {
    ...renderEthBlock({ header, rules, author: header.rewardbase, size, transactions: shown }),
    calls: calls.map((call, transactionIndex) => {
      const tx = bytesToHex(transactionHash(decoded[transactionIndex] as Transaction));
      const logs = call.logs.map((log) =>
        renderLog(log, { ...place, transactionHash: tx, transactionIndex, logIndex: logIndex++ }),
      );
      return shownCall(call, logs);
    }),
  };
}

function shownCall(call: SimulatedOutcome, logs: Json[]): { [key: string]: Json } {
  const { error, output, gasUsed, maxGasUsed } = call;
  const failed = error !== undefined;
  return {
    returnData: bytesToHex(output),
    logs,
    gasUsed: hexQuantity(gasUsed),
    maxUsedGas: hexQuantity(maxGasUsed),
    status: failed ? "0x0" : "0x1",
    ...(failed && { error: shownFailure(call) }),
  };
}

function shownFailure(call: SimulatedOutcome): { [key: string]: Json } {
  const failure = failureOf({ ...call, computation: 0n });
  if (failure.code === "REVERTED")
    return { code: REVERTED, message: failure.message, data: bytesToHex(call.output) };
  if (failure.code === "REVERTED_BARE") return { code: REVERTED, message: "execution reverted", data: "0x" };
  return { code: VM_ERROR, message: call.error ?? failure.message };
}
