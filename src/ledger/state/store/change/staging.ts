import { runSync } from "../../../../platform/runtime/turns/pace.ts";
import type { Hash } from "../../../../protocol/primitives/bytes.ts";
import { ByteTable } from "../../../database/table/byte-table.ts";
import { StateError } from "../../errors.ts";
import type { Row, StagedState, StateChanges } from "../../state.ts";
import { codeRows } from "../code-store.ts";
import { type FlatChange, resolveChanges } from "../flat/flat-changes.ts";
import { type HeadState, whileCurrent } from "../head-state.ts";
import { encodeLogEntryInSteps } from "../log/log-record.ts";
import { TrieStage } from "../trie-stage.ts";

/** From this many rows on, hashing takes more than about two milliseconds. */
const MANY_ROWS = 256;

/** Changes hashed but not committed. */
interface Staged extends Pick<StateChanges, "codes"> {
  readonly stage: TrieStage;
  /** Memory for the nodes of the stage. */
  readonly nodes: ByteTable;
  readonly root: Hash;
  readonly changes: readonly FlatChange[];
  readonly isCurrent: () => boolean;
}

/** Stages the changes of blocks on top of the head, and commits staged states. */
export class Staging {
  readonly #head: HeadState;
  /** A cleared table, from a committed state, for the nodes of the next staged one. */
  #spare: ByteTable | undefined;

  constructor(head: HeadState) {
    this.#head = head;
  }

  /** @see StateStore.stage */
  stage(changes: StateChanges): StagedState {
    return runSync(this.#stageInSteps(changes, false));
  }

  /** @see StateStore.stageInSteps */
  stageInSteps(changes: StateChanges): Generator<void, StagedState> {
    return this.#stageInSteps(changes, hasManyRows(changes));
  }

  /** Pausing between the keys of one trie requires the stage to keep flat rows as well as nodes, too costly for a few keys. */
  *#stageInSteps({ accounts, codes }: StateChanges, inParts: boolean): Generator<void, StagedState> {
    const { tables, root: rootBefore } = this.#head;
    const isCurrent = this.#head.watch();
    const nodes = (inParts ? undefined : this.#spare) ?? new ByteTable();
    if (!inParts) this.#spare = undefined;
    const stage = new TrieStage(tables, { nodes, ...(inParts && { rows: new ByteTable() }) });
    const resolving = resolveChanges(tables.flat, accounts, stage.hashSlots);
    const changes = inParts ? yield* whileCurrent(resolving, isCurrent) : runSync(resolving);
    const root = yield* whileCurrent(stage.hashAccountsInSteps(rootBefore, changes), isCurrent);
    const staged = { stage, nodes, root, changes, codes, isCurrent };
    return {
      root,
      get isCurrent() {
        return isCurrent();
      },
      commitInSteps: (block, rows) => this.#commitInSteps(staged, block, rows),
      commit: (block, rows) => runSync(this.#commitInSteps(staged, block, rows)),
    };
  }

  *#commitInSteps(
    { stage, nodes, root, changes, codes, isCurrent }: Staged,
    { number, hash }: { number: bigint; hash: Hash },
    ofOthers: readonly Row[],
  ): Generator<void, { readonly durable: Promise<void> }> {
    const head = this.#head;
    const check = () => {
      if (!isCurrent())
        throw new StateError("STATE_STALE", "the state has changed since this one was staged", { number });
    };
    check();
    if (head.block && number !== head.block.number + 1n)
      throw new StateError("STATE_ORDER", `block ${number} after ${head.block.number}`, { number });
    head.log.health.check();
    const rows = [...codeRows(codes), ...ofOthers];
    const block = { number, hash: hash.slice(), root };
    const record = yield* encodeLogEntryInSteps({ type: "block", block, changes, rows });
    const note = yield* head.history.addInSteps(number, head.block?.root, changes);
    const put = yield* head.putInSteps(rows);
    // A disk that fails from here on is no different from one that fails right after the commit: the record waits for it.
    check();
    note();
    head.setHead(stage, block, changes);
    put();
    // The tables have taken over the nodes of a stage with rows.
    if (!stage.hasRows) {
      nodes.clear();
      this.#spare = nodes;
    }
    return { durable: head.log.record(record) };
  }
}

function hasManyRows({ accounts }: StateChanges): boolean {
  let rows = accounts.length;
  for (let i = 0; i < accounts.length && rows <= MANY_ROWS; i++)
    rows += (accounts[i] as StateChanges["accounts"][number]).storage.length;
  return rows > MANY_ROWS;
}
