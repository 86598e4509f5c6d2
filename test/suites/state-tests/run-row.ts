import { createEvm } from "../../../src/ledger/evm/engine/create-evm.ts";
import { ethereumPrecompiles } from "../../../src/ledger/evm/tables/ethereum-precompiles.ts";
import { type EthereumFork, ethereumRuleSet } from "../../../src/ledger/evm/tables/ethereum-rules.ts";
import { createJournal } from "../../../src/ledger/state/journal/journal.ts";
import type { StateJournal } from "../../../src/ledger/state/journal/journal-types.ts";
import type { Log } from "../../../src/protocol/block/receipt.ts";
import { encodeItem } from "../../../src/protocol/codec/rlp/item.ts";
import { keccak256 } from "../../../src/protocol/crypto/keccak.ts";
import { bytesToHex } from "../../../src/protocol/primitives/hex.ts";
import { compilerOfSuite } from "../engine-parts.ts";
import { blockOf, isSince } from "./ethereum-block.ts";
import { accountsOf, type Fixture, type FixtureRow, transactionOf } from "./fixture.ts";
import { applyEthereumTransaction, type EthereumMachine } from "./transition.ts";
import { WorldState } from "./world-state.ts";

const machines: Map<EthereumFork, EthereumMachine> = new Map();

/** The outcome of a row. */
export interface Outcome {
  /** Why the transaction is refused, in the names of the published tests; empty when it is executed. */
  readonly validityErrors: readonly string[];
  readonly hash: string;
  readonly logs: string;
}

/** Runs one row of a fixture. @returns how the outcome differs from the expected one; undefined if it does not */
export function differenceOf(fixture: Fixture, fork: EthereumFork, row: FixtureRow): string | undefined {
  const { validityErrors, hash, logs } = outcomeOf(fixture, fork, row);
  const expected = row.expectException?.split("|") ?? [];
  if (!agrees(validityErrors, expected)) {
    return `refused for ${validityErrors.join() || "no reason"}, expected ${expected.join() || "no refusal"}`;
  }
  if (hash !== row.hash) return `state root ${hash}, expected ${row.hash}`;
  return logs === row.logs ? undefined : `logs hash ${logs}, expected ${row.logs}`;
}

/** Runs one row of a fixture. */
export function outcomeOf(fixture: Fixture, fork: EthereumFork, row: FixtureRow): Outcome {
  const world = new WorldState(accountsOf(fixture));
  const state = journalOver(world, fork);
  const block = blockOf(fixture, fork);
  const transition = applyEthereumTransaction(transactionOf(fixture, row), block, state, machineOf(fork));
  const logs = hashOfLogs(transition.logs);
  if (transition.validityErrors.length === 0) state.addBalance(block.coinbase, 0n);
  state.endTransaction();
  world.apply(state.changes());
  return { validityErrors: transition.validityErrors, hash: bytesToHex(world.root()), logs };
}

/** Gas of a row before refunds and floor; undefined when its transaction is refused. */
export function gasUsedOf(fixture: Fixture, fork: EthereumFork, row: FixtureRow): bigint | undefined {
  const state = journalOver(new WorldState(accountsOf(fixture)), fork);
  const block = blockOf(fixture, fork);
  return applyEthereumTransaction(transactionOf(fixture, row), block, state, machineOf(fork)).gasSpent;
}

/** Whether a transaction was refused for one of the expected reasons, or as expected not at all. */
function agrees(validityErrors: readonly string[], expected: readonly string[]): boolean {
  if (expected.length === 0) return validityErrors.length === 0;
  return validityErrors.some((name) => expected.includes(name));
}

function journalOver(world: WorldState, fork: EthereumFork): StateJournal {
  return createJournal(world, { keepsEmptyAccounts: !isSince(fork, "EIP158") });
}

function machineOf(fork: EthereumFork): EthereumMachine {
  const known = machines.get(fork);
  if (known) return known;
  const precompiles = ethereumPrecompiles(fork);
  const ruleSetOf = () => ethereumRuleSet(fork);
  const evm = createEvm({
    precompiles: precompiles.table,
    now: () => 0,
    ruleSetOf,
    compiler: compilerOfSuite(),
  });
  machines.set(fork, { evm, precompiles });
  return { evm, precompiles };
}

function hashOfLogs(logs: readonly Log[]): string {
  return bytesToHex(keccak256(encodeItem(logs.map(({ address, topics, data }) => [address, topics, data]))));
}
