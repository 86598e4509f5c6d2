import type { Chain } from "../../ledger/chain/chain.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import { type Pace, runPaced } from "../../platform/runtime/turns/pace.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Block } from "../../protocol/block/block.ts";
import type { Receipt } from "../../protocol/block/receipt.ts";
import { equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import { addBlock, noRows, rowCount, type TableRows } from "./block-rows.ts";
import { SqlError } from "./errors.ts";
import type { QueryTables, TablePosition } from "./query-tables.ts";

/** Dependencies of a feeder. */
export interface FeederParts {
  readonly tables: QueryTables;
  readonly chain: Pick<
    Chain,
    "head" | "hash" | "block" | "receipts" | "config" | "rulesAt" | "author" | "genesisHash" | "onHead"
  >;
  readonly pace: Pace;
  readonly timers: Timers;
  readonly logger: Logger;
}

/** A block with what its rows are made of. */
type Source = Parameters<typeof addBlock>[2];

/**
 * Maximum blocks, rows (of transactions, receipts and logs) and bytes of data per database transaction, beyond which no further block is
 * started.
 */
const MAX_BLOCKS = 200;
const MAX_ROWS = 5_000;
/** Rows beyond which those so far are sent: one block of 500,000,000 gas may have a million transfers, a gigabyte of rows. */
const PIECE_ROWS = 5_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Pauses after another node has filled the tables, and after database errors. */
const MOVED_PAUSE_MS = 50;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

/**
 * Fills the tables with the blocks of a chain, asynchronously once they are on disk: a slow or missing database delays
 * nothing else. When the chain is rewound, so are the tables. Several nodes may fill the same tables.
 */
export class TableFeeder {
  readonly #parts: FeederParts;
  #position: TablePosition | undefined;
  #isStopped = false;
  #failures = 0;
  #wake = (): void => {};
  #isAwake = false;
  /** Whether blocks were removed from the chain since the tables were compared with it. */
  #wasRewound = false;
  readonly #leave: () => void;
  readonly #running: Promise<void>;

  constructor(parts: FeederParts) {
    this.#parts = parts;
    this.#leave = parts.chain.onHead(({ removed }) => {
      this.#wasRewound ||= removed.length > 0;
      this.#wakeUp();
    });
    this.#running = this.#run();
  }

  /** Number of the newest block in the tables, as far as known; -1 before the first. */
  get height(): bigint {
    return this.#position?.height ?? -1n;
  }

  /** Failed attempts since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** Stops once the current transaction has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#leave();
    this.#wakeUp();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !this.#isStopped; ) {
      try {
        const isDone = await this.#step();
        this.#failures = 0;
        pauseMs = FIRST_PAUSE_MS;
        if (isDone) await this.#idle();
      } catch (error) {
        this.#position = undefined;
        if (error instanceof SqlError && error.code === "SQL_MOVED") {
          await this.#pause(MOVED_PAUSE_MS);
          continue;
        }
        if (this.#failures++ % 10 === 0) this.#warn(error as Error);
        await this.#pause(pauseMs);
        pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
      }
    }
  }

  #warn(error: Error): void {
    const { tables, logger } = this.#parts;
    const text = "the tables of blocks cannot be filled; retrying";
    logger.warn(text, { place: tables.place, reason: error.message, failures: this.#failures });
  }

  /** @returns whether nothing is left to do */
  async #step(): Promise<boolean> {
    const { tables, chain } = this.#parts;
    const { genesisHash, config } = chain;
    this.#position ??= await tables.prepare({ genesisHash, chainId: config.chainId });
    const position = this.#position;
    if (!this.#isOurs(position)) return this.#rewind(position);
    if (position.height >= chain.head.header.number) return true;
    const blocks = this.#collect(position);
    const last = blocks.at(-1);
    if (last === undefined) return true; // the chain was rewound meanwhile, and will announce it
    const after = { height: last.block.header.number, hash: last.hash };
    await tables.append(position, () => this.#pieces(blocks), after);
    this.#position = after;
    return false;
  }

  /** Blocks above the head may come from a node that is ahead, unless this chain was just rewound. */
  #isOurs({ height, hash }: TablePosition): boolean {
    const wasRewound = this.#wasRewound;
    this.#wasRewound = false;
    if (height < 0n) return true;
    const ours = this.#parts.chain.hash(height);
    return ours === undefined ? !wasRewound : equalBytes(ours, hash);
  }

  async #rewind(position: TablePosition): Promise<boolean> {
    const { tables, chain, logger } = this.#parts;
    const common = await tables.commonWith((number) => chain.hash(number), position.height);
    logger.info("the tables of blocks are rewound with the chain", {
      from: position.height,
      to: common.height,
    });
    await tables.truncate(position, common);
    this.#position = common;
    return false;
  }

  /** The blocks of the next database transaction. */
  #collect({ height, hash }: TablePosition): readonly Source[] {
    const { chain } = this.#parts;
    const blocks: Source[] = [];
    let parent: Hash = hash;
    let [bytes, rows] = [0, 0];
    for (let number = height + 1n; number <= height + BigInt(MAX_BLOCKS); number++) {
      const [block, receipts, own] = [chain.block(number), chain.receipts(number), chain.hash(number)];
      if (block === undefined || receipts === undefined || own === undefined) break;
      if (number > 0n && !equalBytes(block.header.parentHash, parent)) break;
      blocks.push({ block, receipts, hash: own });
      parent = own;
      bytes += dataIn(block, receipts);
      rows += receipts.reduce((sum, { logs }) => sum + 2 + logs.length, 1);
      if (bytes > MAX_BYTES || rows > MAX_ROWS) break;
    }
    return blocks;
  }

  /** The rows of some blocks, in pieces of about `PIECE_ROWS`. */
  async *#pieces(blocks: readonly Source[]): AsyncGenerator<TableRows> {
    const { chain, pace } = this.#parts;
    let rows = noRows();
    for (const block of blocks) {
      const steps = { of: addBlock(rows, chain, block), isDone: false };
      for (;;) {
        await runPaced(pace, untilFull(steps, rows));
        if (steps.isDone) break;
        yield rows;
        for (const table of Object.values(rows)) table.length = 0;
      }
      if (rowCount(rows) < PIECE_ROWS) continue;
      yield rows;
      rows = noRows();
    }
    yield rows;
  }

  #wakeUp(): void {
    this.#isAwake = true;
    this.#wake();
  }

  /** Waits for a new head. */
  async #idle(): Promise<void> {
    if (!this.#isAwake)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#isAwake = false;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isStopped) return resolve();
      const cancel = this.#parts.timers.schedule(ms, resolve);
      this.#wake = () => {
        if (!this.#isStopped) return;
        cancel();
        resolve();
      };
    });
  }
}

/** Takes the steps of a block until there are enough rows for a piece. */
function* untilFull(
  steps: { readonly of: Iterator<void>; isDone: boolean },
  rows: TableRows,
): Generator<void> {
  while (rowCount(rows) < PIECE_ROWS) {
    steps.isDone = steps.of.next().done ?? false;
    if (steps.isDone) return;
    yield;
  }
}

/** Bytes of contracts' inputs and logs. */
function dataIn({ transactions }: Block, receipts: readonly Receipt[]): number {
  const given = transactions.reduce((sum, { input }) => sum + input.length, 0);
  const logs = receipts.flatMap((receipt) => receipt.logs);
  return given + logs.reduce((sum, { data }) => sum + data.length, 0);
}
