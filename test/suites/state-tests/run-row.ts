import { ethereumPrecompiles } from "../../../src/ledger/evm/ethereum-precompiles.ts";
import { type EthereumFork, ethereumRuleSet } from "../../../src/ledger/evm/ethereum-rules.ts";
import { createEvm } from "../../../src/ledger/evm/interpreter/create-evm.ts";
import { createJournal } from "../../../src/ledger/state/journal.ts";
import type { Log } from "../../../src/protocol/block/receipt.ts";
import { encodeItem } from "../../../src/protocol/codec/rlp/item.ts";
import { keccak256 } from "../../../src/protocol/crypto/keccak.ts";
import { bytesToHex } from "../../../src/protocol/primitives/hex.ts";
import { blockOf } from "./ethereum-block.ts";
import { accountsOf, type Fixture, type FixtureRow, transactionOf } from "./fixture.ts";
import { applyEthereumTransaction, type EthereumMachine } from "./transition.ts";
import { WorldState } from "./world-state.ts";

const machines: Map<EthereumFork, EthereumMachine> = new Map();

/** Runs one row of a fixture; says how the outcome differs from the expected one, undefined when it does not. */
export function differenceOf(fixture: Fixture, fork: EthereumFork, row: FixtureRow): string | undefined {
  const world = new WorldState(accountsOf(fixture));
  const state = createJournal(world);
  const block = blockOf(fixture, fork);
  const tx = transactionOf(fixture, row);
  const { objections, logs } = applyEthereumTransaction(tx, block, state, machineOf(fork));
  const expected = row.expectException?.split("|") ?? [];
  if (!agrees(objections, expected)) {
    return `refused for ${objections.join() || "no reason"}, expected ${expected.join() || "no refusal"}`;
  }
  const logsHash = hashOfLogs(logs);
  state.addBalance(block.coinbase, 0n);
  state.endTransaction();
  world.apply(state.changes());
  const root = bytesToHex(world.root());
  if (root !== row.hash) return `state root ${root}, expected ${row.hash}`;
  return logsHash === row.logs ? undefined : `logs hash ${logsHash}, expected ${row.logs}`;
}

/** Whether a transaction was refused for one of the expected reasons, or as expected not at all. */
function agrees(objections: readonly string[], expected: readonly string[]): boolean {
  if (expected.length === 0) return objections.length === 0;
  return objections.some((name) => expected.includes(name));
}

function machineOf(fork: EthereumFork): EthereumMachine {
  const known = machines.get(fork);
  if (known) return known;
  const precompiles = ethereumPrecompiles(fork);
  const ruleSetOf = () => ethereumRuleSet(fork);
  const evm = createEvm({ precompiles: precompiles.table, now: () => 0, ruleSetOf });
  machines.set(fork, { evm, precompiles });
  return { evm, precompiles };
}

function hashOfLogs(logs: readonly Log[]): string {
  return bytesToHex(keccak256(encodeItem(logs.map(({ address, topics, data }) => [address, topics, data]))));
}
