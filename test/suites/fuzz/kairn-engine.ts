import { createEvm } from "../../../src/ledger/evm/engine/create-evm.ts";
import type { BlockContext, Evm, Message } from "../../../src/ledger/evm/evm.ts";
import { ethereumPrecompiles } from "../../../src/ledger/evm/tables/ethereum-precompiles.ts";
import { type EthereumFork, ethereumRuleSet } from "../../../src/ledger/evm/tables/ethereum-rules.ts";
import { address, ENGINE_VARIANTS } from "../../../src/ledger/evm/testing/run-code.ts";
import { createJournal } from "../../../src/ledger/state/journal/journal.ts";
import type { StateJournal } from "../../../src/ledger/state/journal/journal-types.ts";
import { delegationTarget } from "../../../src/protocol/account/delegation.ts";
import { bytesToHex } from "../../../src/protocol/primitives/hex.ts";
import { isSince } from "../state-tests/ethereum-block.ts";
import { WorldState } from "../state-tests/world-state.ts";
import { accountLine, type Observed, type ObservedTransaction } from "./observed.ts";
import { type Scene, type SceneTransaction, SENDER } from "./scene.ts";

const sender = address(SENDER);

/** Our engine under one fork: by default, with frequent exits from the interpreter, and with the exact loop only. */
export class KairnEngine {
  readonly #fork: EthereumFork;
  readonly #precompiles;
  readonly #evms: readonly Evm[];
  readonly #block: BlockContext;
  readonly #blobHashes: readonly Uint8Array[];

  constructor(fork: EthereumFork, block: BlockContext, blobHashes: readonly Uint8Array[]) {
    this.#fork = fork;
    this.#block = block;
    this.#blobHashes = blobHashes;
    this.#precompiles = ethereumPrecompiles(fork);
    const parts = {
      precompiles: this.#precompiles.table,
      now: () => 0,
      ruleSetOf: () => ethereumRuleSet(fork),
    };
    this.#evms = ENGINE_VARIANTS.map((variant) => createEvm({ ...parts, ...variant }));
  }

  /** Number of execution modes. */
  static readonly variants = ENGINE_VARIANTS.length;
  /** The mode that checks each opcode individually: the others must agree with it. */
  static readonly exact = ENGINE_VARIANTS.findIndex(({ quantum }) => quantum?.exact);

  /** Runs a scene. @param variant - any number; selects the execution mode */
  run(scene: Scene, variant: number): Observed {
    const world = new WorldState(scene.accounts);
    const state = createJournal(world);
    const evm = this.#evms[variant % this.#evms.length] as Evm;
    const transactions = scene.transactions.map((tx) => this.#apply(tx, state, evm));
    world.apply(state.changes());
    const lines = [...world.accounts()].map(({ address: at, account, slots }) =>
      accountLine(at, account, bytesToHex(account.codeHash), slots),
    );
    return { transactions, state: lines.sort() };
  }

  #apply(tx: SceneTransaction, state: StateJournal, evm: Evm): ObservedTransaction {
    if (tx.to !== undefined) state.setNonce(sender, state.nonce(sender) + 1n);
    this.#warmUp(tx, state);
    const { value, input, gas } = tx;
    const message: Message = { caller: sender, value, input, gas, ...(tx.to && { to: tx.to }) };
    const context = { origin: sender, gasPrice: 7n, feePayer: sender, blobHashes: this.#blobHashes };
    const result = evm.run(message, this.#block, context, state, {});
    const outcome = result.outcome === "success" || result.outcome === "revert" ? result.outcome : "failure";
    const observed = {
      outcome,
      gasLeft: result.gasLeft,
      output: outcome === "failure" ? "0x" : bytesToHex(result.output),
      logs: state.logs.map((log) => [log.address, ...log.topics, log.data].map(bytesToHex).join()),
      refund: outcome === "success" ? state.refund : 0n,
    } as const;
    state.endTransaction();
    return observed;
  }

  #warmUp(tx: SceneTransaction, state: StateJournal): void {
    if (!isSince(this.#fork, "Berlin")) return;
    state.warm(sender);
    if (tx.to) {
      state.warm(tx.to);
      const delegate = isSince(this.#fork, "Prague") ? delegationTarget(state.code(tx.to)) : undefined;
      if (delegate) state.warm(delegate);
    }
    for (const precompile of this.#precompiles.addresses) state.warm(precompile);
    for (const entry of tx.accessList) {
      state.warm(entry.address);
      for (const slot of entry.slots) state.warmSlot(entry.address, slot);
    }
  }
}
