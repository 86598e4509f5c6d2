import type { BlockReplay } from "../../../../ledger/chain/block-replay.ts";
import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { BlockEnvironment } from "../../../../ledger/execution/environment.ts";
import {
  type BlockWork,
  type CallWork,
  plainBlock,
  plainTransaction,
  type ScriptJob,
  type ScriptOutcome,
  type ScriptSources,
} from "../../../../ledger/execution/script-job.ts";
import { StateError } from "../../../../ledger/state/errors.ts";
import type { StateReader } from "../../../../ledger/state/state.ts";
import type { Block } from "../../../../protocol/block/block.ts";
import type { CallPlan } from "../call-runner.ts";

/** Runs tracers written by callers, where they cannot hold up other calls. */
export interface ScriptRunner {
  run(job: ScriptJob, sources: ScriptSources): Promise<readonly ScriptOutcome[]>;
}

/** A tracer written by the caller. */
export interface Script {
  readonly code: string;
  readonly timeoutMs: number;
}

/** Makes jobs of what callers want traced by a tracer of their own. */
export class ScriptTraces {
  readonly #chain: Chain;
  readonly #replay: BlockReplay;
  readonly #runner: ScriptRunner;

  constructor(chain: Chain, replay: BlockReplay, runner: ScriptRunner) {
    this.#chain = chain;
    this.#replay = replay;
    this.#runner = runner;
  }

  /** What the script shows of a call. */
  async call(script: Script, { request, environment, header, state }: CallPlan): Promise<ScriptOutcome> {
    const work: CallWork = { kind: "call", request };
    const isPending = header.number > this.#chain.head.header.number;
    const source = isPending ? state : lastingState(this.#chain, header.number);
    const [outcome] = await this.#run(script, environment, work, source);
    return outcome ?? { error: new Error("the script was not run") };
  }

  /** What the script shows of each transaction of a block, or of one. @throws ChainError `STATE_PRUNED` */
  block(script: Script, block: Block, index?: number): Promise<readonly ScriptOutcome[]> {
    const { header, transactions } = block;
    const environment = this.#replay.environment(block);
    const { chainId } = environment.context.rules;
    const wanted = index === undefined ? transactions : transactions.slice(0, index + 1);
    const work: BlockWork = {
      kind: "block",
      parentHash: header.parentHash,
      transactions: wanted.map((tx) => plainTransaction(tx, chainId)),
      index,
    };
    return this.#run(script, environment, work, lastingState(this.#chain, header.number - 1n));
  }

  #run(script: Script, environment: BlockEnvironment, work: ScriptJob["work"], state: StateReader) {
    const sources: ScriptSources = { state, blockHash: environment.context.blockHash };
    return this.#runner.run({ ...script, block: plainBlock(environment), work }, sources);
  }
}

/** The state after a block, asked for anew at each read: the block may be the newest one now and an old one soon. */
function lastingState(chain: Chain, number: bigint): StateReader {
  const state = (): StateReader => {
    const found = chain.stateAt(number);
    if (found === undefined)
      throw new StateError("STATE_PRUNED", `historical state of block ${number} is not kept`);
    return found;
  };
  return {
    account: (address) => state().account(address),
    storage: (address, slot) => state().storage(address, slot),
    code: (hash) => state().code(hash),
  };
}
