import type { SimulatedResult, SimulationWork } from "../../../../ledger/execution/job.ts";
import { stableState } from "../../../../ledger/state/stable-state.ts";
import type { HashNext, StateStore } from "../../../../ledger/state/state.ts";
import { StateOverlay } from "../../../../ledger/state/state-overlay.ts";
import { type Pace, runPaced } from "../../../../platform/runtime/turns/pace.ts";
import { nextBaseFee } from "../../../../protocol/block/base-fee.ts";
import { blockHash } from "../../../../protocol/block/hash.ts";
import type { Rules } from "../../../../protocol/params/forks.ts";
import type { Hash } from "../../../../protocol/primitives/bytes.ts";
import type { HeavyReads } from "../../services/heavy-reads.ts";
import type { SimulationArgs } from "../../spec/calls/simulation.ts";
import type { CallContext } from "../../spec/method.ts";
import type { BlockRef } from "../../spec/values/block-ref.ts";
import type { ChainReader, LocatedState } from "../chain/chain-reader.ts";
import type { Executor, Plan } from "../execution/executor.ts";
import type { CallLimits, CallRunner } from "./call-runner.ts";
import { planSimulation, type SimulationPlan } from "./simulation-plan.ts";

/** What simulations need. */
export interface SimulationDeps {
  readonly reader: ChainReader;
  readonly store: Pick<StateStore, "hashSuccessors">;
  readonly runner: CallRunner;
  readonly executor: Pick<Executor, "edits">;
  readonly reads: HeavyReads;
  readonly limits: CallLimits;
}

/** A block that was simulated, complete. */
export type CompleteResult = Pick<SimulatedResult, "header" | "sent" | "calls">;

/** Simulated blocks and the rules that hold in them. */
export interface SimulatedBlocks {
  readonly rules: Rules;
  readonly results: readonly CompleteResult[];
}

/** Attempts at a simulation whose underlying state keeps changing. */
const MAX_ATTEMPTS = 4;

/**
 * Simulates calls in blocks that are never stored. Each block runs as one unit of work; then its state is hashed, since the next
 * block may need its hash.
 */
export class SimulationRunner {
  readonly #deps: SimulationDeps;

  constructor(deps: SimulationDeps) {
    this.#deps = deps;
  }

  /**
   * Executes calls in simulated blocks on top of a block.
   * @throws CallError, RpcError; StateError `STATE_PRUNED` where the tries of the state are too far back
   */
  async run(args: SimulationArgs, at: BlockRef, context: CallContext): Promise<SimulatedBlocks> {
    const { executor, reads, limits, reader } = this.#deps;
    const spentMs = context.allowance?.spentMs ?? 0;
    const endMs = performance.now() + limits.timeoutMs - spentMs;
    const ending = {
      timeoutMs: limits.timeoutMs,
      text: `execution aborted (timeout = ${limits.timeoutMs / 1000}s)`,
    };
    for (let attempt = 1; ; attempt++) {
      const { edits } = executor;
      const isStale = () => edits !== executor.edits && attempt < MAX_ATTEMPTS;
      try {
        const located = reader.stateAt(at);
        const found = await reads.run(
          context,
          (pace) => this.#blocks(args, located, { context, pace, endMs }),
          ending,
        );
        if (!isStale()) return found;
      } catch (error) {
        if (!isStale()) throw error;
      }
    }
  }

  #blocks(args: SimulationArgs, located: LocatedState, terms: Terms): Promise<SimulatedBlocks> {
    const { reader, runner, store, limits } = this.#deps;
    const { chain } = reader;
    const { header, changes } = located;
    const rules = chain.rulesAt(header.number + 1n);
    const params = chain.params.at(header.number + 1n);
    const bare = runner.blockOf(located);
    const ofBlock = { ...bare, context: { ...bare.context, rules } };
    const base = {
      ...{ header, params, context: ofBlock.context },
      nextBaseFee: nextBaseFee(header, params),
    };
    const plan = planSimulation(args, { ...base, gasCap: limits.gasCap });
    const number = changes === undefined ? header.number : header.number - 1n;
    const state = new StateOverlay(stableState((asked) => chain.stateAt(asked), number));
    const from = { block: { ...ofBlock, state }, stateNumber: header.number, hasOwnState: true };
    return store.hashSuccessors(number, terms.pace, async (hash) => {
      if (changes !== undefined) {
        state.add(changes);
        await runPaced(terms.pace, hash(changes));
      }
      const parentHash = blockHash(header);
      const first = { parentHash, hashes: new Map([[header.number, parentHash]]) };
      return { rules, results: await this.#results(plan, { from, state, hash, first }, terms) };
    });
  }

  async #results(plan: SimulationPlan, ground: Ground, terms: Terms): Promise<CompleteResult[]> {
    const { from, state, hash } = ground;
    const results: CompleteResult[] = [];
    const hashes = new Map(ground.first.hashes);
    let { parentHash } = ground.first;
    let left = plan.room;
    for (const block of plan.blocks) {
      const work = { ...plan.shared, ...{ block, parentHash, left, hashes } };
      const result = await this.#executed({ ...from, work }, terms);
      const { root: stateRoot } = await runPaced(terms.pace, hash(result.changes));
      const header = { ...result.header, stateRoot };
      state.add(result.changes);
      left = result.left;
      parentHash = blockHash(header);
      hashes.set(header.number, parentHash);
      results.push({ header, sent: result.sent, calls: result.calls });
    }
    return results;
  }

  #executed(
    plan: Plan<SimulationWork>,
    { context, endMs }: Terms,
  ): SimulatedResult | Promise<SimulatedResult> {
    const spentMs = context.allowance?.spentMs ?? 0;
    return this.#deps.runner.query(() => plan, context, endMs - performance.now() + spentMs);
  }
}

/** The caller, its pace, and the deadline by `performance.now()`. */
interface Terms {
  readonly context: CallContext;
  readonly pace: Pace;
  readonly endMs: number;
}

/** The growing state on which blocks are simulated, and their first parent. */
interface Ground {
  readonly from: Omit<Plan<SimulationWork>, "work">;
  readonly state: StateOverlay;
  readonly hash: HashNext;
  readonly first: { readonly parentHash: Hash; readonly hashes: ReadonlyMap<bigint, Hash> };
}
