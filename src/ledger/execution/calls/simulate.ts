import { logsBloom } from "../../../protocol/block/bloom.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { deriveSha } from "../../../protocol/block/list-root.ts";
import type { Log, Receipt } from "../../../protocol/block/receipt.ts";
import { encodeReceipt } from "../../../protocol/block/receipt-codec.ts";
import { EMPTY_BYTES, type Hash } from "../../../protocol/primitives/bytes.ts";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import { encodeTransaction } from "../../../protocol/transaction/encoding.ts";
import { keepSender } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { transactionType } from "../../../protocol/transaction/type-table.ts";
import type { TransactionType } from "../../../protocol/transaction/types.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";
import { MovedPrecompiles } from "../../evm/precompiles/moved-precompiles.ts";
import type { BlockEnvironment, TransactionOptions } from "../environment.ts";
import { CallError, TransactionRejection } from "../errors.ts";
import type {
  SentCall,
  SimulatedBlock,
  SimulatedCall,
  SimulatedOutcome,
  SimulatedResult,
  SimulationWork,
} from "../job.ts";
import { storeParentHash } from "../system-call.ts";
import { priceIn } from "../transaction/fees.ts";
import { checkFeeCaps, checkNonce } from "../transaction/precheck.ts";
import { transition } from "../transaction/transaction.ts";
import { TransferLogs } from "../transaction/transfer-logs.ts";
import { requiredGas } from "../transaction/validate.ts";
import { applyOverrides } from "./overrides.ts";

/** Maximum bytes of output and logs of all calls of a simulation together. */
export const MAX_SIMULATED_BYTES = 12_000_000;
/** Size of a log in JSON without its data. */
const LOG_BYTES = 350;
const NO_SIGNATURE = { v: 0n, r: 0n, s: 0n };

/**
 * Executes the calls of a simulated block, which is not stored.
 * @param base - the state before it, and the context of the block before the first simulated one
 * @throws CallError for a call that would be invalid in any block, and for results that are too large; EvmTimeout, BudgetSpent
 */
export function simulate(
  work: SimulationWork,
  base: BlockEnvironment,
  limits: TransactionOptions,
): SimulatedResult {
  return new Simulation(work, base, limits).run();
}

class Simulation {
  readonly #work: SimulationWork;
  readonly #base: BlockEnvironment;
  readonly #limits: TransactionOptions;
  #gasLeft: bigint;
  #bytesLeft: number;

  constructor(work: SimulationWork, base: BlockEnvironment, limits: TransactionOptions) {
    this.#work = work;
    this.#base = base;
    this.#limits = limits;
    this.#gasLeft = work.left.gas;
    this.#bytesLeft = work.left.bytes;
  }

  run(): SimulatedResult {
    const { block: simulated, parentHash } = this.#work;
    const block = this.#environment(simulated);
    if (simulated.overrides !== undefined) applyOverrides(simulated.overrides, block.state);
    storeParentHash(parentHash, block);
    const calls: SimulatedOutcome[] = [];
    const sent: SentCall[] = [];
    let gasUsed = 0n;
    for (const call of simulated.calls) {
      const room = simulated.gasLimit === undefined ? MAX_UINT64 : simulated.gasLimit - gasUsed;
      const filled = this.#fill(call, block, room);
      const outcome = this.#call(filled, block);
      this.#charge(outcome);
      sent.push(filled);
      calls.push(outcome);
      gasUsed += outcome.gasUsed;
      this.#gasLeft -= outcome.gasUsed;
    }
    const header = this.#header(simulated, { sent, calls, gasUsed });
    const left = { gas: this.#gasLeft, bytes: this.#bytesLeft };
    return { header, sent, calls, changes: block.state.changes(), left };
  }

  #environment({
    number,
    time,
    coinbase,
    prevRandao,
    baseFee,
    blobBaseFee,
    gasLimit,
    moves,
  }: SimulatedBlock): BlockEnvironment {
    const { context } = this.#base;
    return {
      ...this.#base,
      feeRecipient: coinbase,
      context: {
        ...context,
        ...{ number, time, coinbase, prevRandao, baseFee, blobBaseFee },
        gasLimit: gasLimit ?? context.gasLimit,
        moved: moves && new MovedPrecompiles(moves),
        blockHash: (asked) =>
          (asked < number ? this.#work.hashes.get(asked) : undefined) ?? context.blockHash(asked),
      },
    };
  }

  /** @throws CallError `BLOCK_GAS` */
  #fill(call: SimulatedCall, { state }: BlockEnvironment, room: bigint): SentCall {
    if (call.gas !== undefined && call.gas > room)
      throw new CallError("BLOCK_GAS", `block gas limit reached: ${call.gas} >= ${room}`);
    const most = room < this.#gasLeft ? room : this.#gasLeft;
    const gas = call.gas !== undefined && call.gas < most ? call.gas : most;
    return { ...call, gas, nonce: call.nonce ?? state.nonce(call.from) };
  }

  #call(call: SentCall, block: BlockEnvironment): SimulatedOutcome {
    const { state } = block;
    const { from, gas } = call;
    const tx = simulatedTransaction(call, block.context.rules.chainId);
    const transfers = this.#work.traceTransfers ? new TransferLogs(state) : undefined;
    try {
      const isFree = tx.gasPrice === 0n;
      if (this.#work.validation) {
        checkNonce(tx, from, state);
        if (isFree) checkFeeCaps(tx, from, block.context, false);
      }
      const price = isFree ? 0n : priceIn(tx, block.context);
      const payment = { tx, sender: from, feePayer: from, price };
      const required = requiredGas(tx, 0n, block.context.rules);
      const ended = transition(payment, required, block, { ...this.#limits, tracer: transfers?.tracer });
      const logs = transfers?.among(state.logs) ?? [...state.logs];
      const { status, error, output, gasUsed, maxGasUsed } = ended;
      return { status, error, output, gasUsed, maxGasUsed, logs };
    } catch (cause) {
      if (!(cause instanceof TransactionRejection)) throw cause;
      throw new CallError("CALL_REJECTED", `err: ${cause.message} (supplied gas ${gas})`, {}, { cause });
    } finally {
      state.endTransaction();
    }
  }

  /** @throws CallError `SIMULATION_SIZE` */
  #charge({ output, logs }: SimulatedOutcome): void {
    this.#bytesLeft -= logs.reduce((sum, { data }) => sum + LOG_BYTES + data.length, output.length);
    if (this.#bytesLeft >= 0) return;
    throw new CallError("SIMULATION_SIZE", `the calls return and log more than ${MAX_SIMULATED_BYTES} bytes`);
  }

  #header(
    { number, time, coinbase, prevRandao, baseFee }: SimulatedBlock,
    made: { sent: readonly SentCall[]; calls: readonly SimulatedOutcome[]; gasUsed: bigint },
  ): Header {
    const { deriveShaImpl, template, parentHash } = this.#work;
    const receipts = made.calls.map(receiptOf);
    const { rules } = this.#base.context;
    const transactions = made.sent.map((call) => simulatedTransaction(call, rules.chainId));
    return {
      ...template,
      ...{
        parentHash,
        rewardbase: coinbase,
        number,
        time,
        timeFoS: 0,
        gasUsed: made.gasUsed,
      },
      transactionsRoot: deriveSha(deriveShaImpl, transactions.map(encodeTransaction)),
      receiptsRoot: deriveSha(deriveShaImpl, receipts.map(encodeReceipt)),
      bloom: logsBloom(made.calls.flatMap(({ logs }) => logs)),
      ...{ governance: EMPTY_BYTES, vote: EMPTY_BYTES },
      ...(rules.magma && { baseFee }),
      ...(rules.randao && { mixHash: prevRandao32(prevRandao) }),
      ...(rules.osaka && { blobGasUsed: 0n, excessBlobGas: 0n }),
    };
  }
}

function prevRandao32(word: bigint): Hash {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((word >> BigInt(8 * (31 - i))) & 0xffn));
}

function receiptOf({ status, gasUsed, logs }: SimulatedOutcome): Receipt {
  return { status, gasUsed, logs, bloom: logsBloom(logs as Log[]) };
}

/** A simulated call as a transaction: unsigned, but with its sender known. */
export function simulatedTransaction(call: SentCall, chainId: bigint): Transaction {
  const { typeCode, from, to, value, input, gas, nonce, gasPrice } = call;
  const { maxPriorityFeePerGas, accessList, authorizationList } = call;
  const tx = createTransaction({
    type: transactionType(typeCode) as TransactionType,
    ...{ gas, nonce, to, value, input, gasPrice },
    ...(typeCode !== 0 && { chainId, accessList: accessList ?? [] }),
    ...(maxPriorityFeePerGas !== undefined && { maxPriorityFeePerGas }),
    ...(authorizationList !== undefined && { authorizationList }),
    signatures: [NO_SIGNATURE],
  });
  keepSender(tx, from);
  return tx;
}
