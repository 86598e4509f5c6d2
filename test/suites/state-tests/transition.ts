import type { Evm, TransactionContext } from "../../../src/ledger/evm/evm.ts";
import type { EthereumPrecompiles } from "../../../src/ledger/evm/tables/ethereum-precompiles.ts";
import { applyAuthorizations } from "../../../src/ledger/execution/transaction/authorizations.ts";
import type { StateJournal } from "../../../src/ledger/state/journal/journal-types.ts";
import { delegationTarget } from "../../../src/protocol/account/delegation.ts";
import type { Log } from "../../../src/protocol/block/receipt.ts";
import { type EthereumBlock, isSince } from "./ethereum-block.ts";
import type { EthereumTransaction } from "./fixture.ts";
import { floorGas, larger, paidGas, smaller } from "./intrinsic-gas.ts";
import { blobGas, effectivePrice, validityErrors } from "./validity.ts";

/** An engine under the rules of one fork. */
export interface EthereumMachine {
  readonly evm: Evm;
  readonly precompiles: EthereumPrecompiles;
}

/** The result of a transaction: rejected with reasons, or executed. */
export interface Transition {
  readonly validityErrors: readonly string[];
  readonly logs: readonly Log[];
  /** Gas that ran before refunds and floor; absent when refused. */
  readonly gasSpent?: bigint;
}

/** Executes a transaction under Ethereum's rules; the journal's transaction stays open. */
export function applyEthereumTransaction(
  tx: EthereumTransaction,
  block: EthereumBlock,
  state: StateJournal,
  machine: EthereumMachine,
): Transition {
  const found = validityErrors(tx, block, state);
  if (found.length > 0) return { validityErrors: found, logs: [] };
  const price = effectivePrice(tx, block);
  state.subBalance(tx.sender, tx.gas * price + blobGas(tx) * block.blobBaseFee);
  if (tx.to !== undefined) state.setNonce(tx.sender, tx.nonce + 1n);
  warmUp(tx, block, state, machine);
  applyAuthorizations(tx, state, block.rules.chainId);
  warmDelegate(tx, block, state);
  const context: TransactionContext = {
    origin: tx.sender,
    gasPrice: price,
    feePayer: tx.sender,
    blobHashes: tx.blobs?.hashes ?? [],
  };
  const message = {
    caller: tx.sender,
    ...(tx.to && { to: tx.to }),
    value: tx.value,
    input: tx.input,
    gas: tx.gas - paidGas(tx, block.fork),
  };
  const { gasLeft } = machine.evm.run(message, block, context, state, {});
  const gasUsed = gasAfterRefund(tx, tx.gas - gasLeft, state.refund, block);
  state.addBalance(tx.sender, (tx.gas - gasUsed) * price);
  state.addBalance(block.coinbase, gasUsed * (price - block.baseFee));
  return { validityErrors: [], logs: state.logs, gasSpent: tx.gas - gasLeft };
}

/** Addresses and slots that are warm from the start. @see EIP-2929, EIP-2930, EIP-3651 */
function warmUp(
  tx: EthereumTransaction,
  block: EthereumBlock,
  state: StateJournal,
  { precompiles }: EthereumMachine,
): void {
  if (!isSince(block.fork, "Berlin")) return;
  state.warm(tx.sender);
  for (const address of precompiles.addresses) state.warm(address);
  if (isSince(block.fork, "Shanghai")) state.warm(block.coinbase);
  for (const { address, storageKeys } of tx.accessList) {
    state.warm(address);
    for (const slot of storageKeys) state.warmSlot(address, slot);
  }
  if (tx.to !== undefined) state.warm(tx.to);
}

/** @see EIP-7702 */
function warmDelegate({ to }: EthereumTransaction, { fork }: EthereumBlock, state: StateJournal): void {
  if (to === undefined || !isSince(fork, "Prague")) return;
  const delegate = delegationTarget(state.code(to));
  if (delegate !== undefined) state.warm(delegate);
}

/** @see EIP-3529, EIP-7623 */
function gasAfterRefund(
  tx: EthereumTransaction,
  used: bigint,
  refund: bigint,
  { fork }: EthereumBlock,
): bigint {
  const limit = used / (isSince(fork, "London") ? 5n : 2n);
  return larger(used - smaller(refund, limit), floorGas(tx, fork));
}
