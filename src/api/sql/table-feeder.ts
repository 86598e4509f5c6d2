import type { Chain } from "../../ledger/chain/chain.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import { atPace, type Pace } from "../../platform/runtime/turns/pace.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Block } from "../../protocol/block/block.ts";
import type { Receipt } from "../../protocol/block/receipt.ts";
import { equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import { addBlock, noRows, type TableRows } from "./block-rows.ts";
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

/** Blocks, rows and bytes of data per database transaction, beyond which no further block is begun. */
const MOST_BLOCKS = 200;
const MOST_ROWS = 5_000;
const MOST_BYTES = 32 * 1024 * 1024;
/** Where another node fills the tables, or a database says so without end. */
const MOVED_PAUSE_MS = 50;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Fills the tables with the blocks of a chain, after they are on disk and when there is time: a slow or missing database holds
 * up nothing else. When the chain is rewound, so are the tables. Several nodes may fill the same tables.
 */
export class TableFeeder {
  readonly #parts: FeederParts;
  #position: TablePosition | undefined;
  #isStopped = false;
  #failures = 0;
  #wake = (): void => {};
  #isAwake = false;
  /** Whether blocks have left the chain since the tables were compared with it. */
  #hasGoneBack = false;
  readonly #leave: () => void;
  readonly #running: Promise<void>;

  constructor(parts: FeederParts) {
    this.#parts = parts;
    this.#leave = parts.chain.onHead(({ removed }) => {
      this.#hasGoneBack ||= removed.length > 0;
      this.#stir();
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

  /** Stops it once the current transaction has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#leave();
    this.#stir();
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
        if (this.#failures++ % 10 === 0) this.#tell(error as Error);
        await this.#pause(pauseMs);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
    }
  }

  #tell(error: Error): void {
    const { tables, logger } = this.#parts;
    const text = "the tables of blocks cannot be filled; it is tried again";
    logger.warn(text, { place: tables.place, reason: error.message, failures: this.#failures });
  }

  /** @returns whether nothing is left to do */
  async #step(): Promise<boolean> {
    const { tables, chain } = this.#parts;
    const { genesisHash, config } = chain;
    this.#position ??= await tables.prepare({ genesisHash, chainId: config.chainId });
    const position = this.#position;
    if (!this.#isOurs(position)) return this.#goBack(position);
    if (position.height >= chain.head.header.number) return true;
    const { rows, after } = await this.#collect(position);
    if (after === undefined) return true; // the chain was rewound meanwhile, and will announce it
    await tables.append(position, rows, after);
    this.#position = after;
    return false;
  }

  /** Blocks above the head may be those that another node has already, unless the chain has just lost them. */
  #isOurs({ height, hash }: TablePosition): boolean {
    const hasGoneBack = this.#hasGoneBack;
    this.#hasGoneBack = false;
    if (height < 0n) return true;
    const ours = this.#parts.chain.hash(height);
    return ours === undefined ? !hasGoneBack : equalBytes(ours, hash);
  }

  async #goBack(position: TablePosition): Promise<boolean> {
    const { tables, chain, logger } = this.#parts;
    const common = await tables.commonWith((number) => chain.hash(number), position.height);
    logger.info("the tables of blocks go back with the chain", { from: position.height, to: common.height });
    await tables.truncate(position, common);
    this.#position = common;
    return false;
  }

  async #collect({
    height,
    hash,
  }: TablePosition): Promise<{ rows: TableRows; after: TablePosition | undefined }> {
    const { chain, pace } = this.#parts;
    const rows = noRows();
    let after: TablePosition | undefined;
    let parent: Hash = hash;
    let bytes = 0;
    for (let number = height + 1n; number <= height + BigInt(MOST_BLOCKS); number++) {
      const [block, receipts, own] = [chain.block(number), chain.receipts(number), chain.hash(number)];
      if (block === undefined || receipts === undefined || own === undefined) break;
      if (number > 0n && !equalBytes(block.header.parentHash, parent)) break;
      await atPace(pace, addBlock(rows, chain, { block, receipts, hash: own }));
      after = { height: number, hash: own };
      parent = own;
      bytes += dataIn(block, receipts);
      if (bytes > MOST_BYTES || Object.values(rows).reduce((sum, { length }) => sum + length, 0) > MOST_ROWS)
        break;
    }
    return { rows, after };
  }

  #stir(): void {
    this.#isAwake = true;
    this.#wake();
  }

  /** Waits for a head that has not been seen yet. */
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

/** Bytes of contracts' inputs and logs. */
function dataIn({ transactions }: Block, receipts: readonly Receipt[]): number {
  const given = transactions.reduce((sum, { input }) => sum + input.length, 0);
  const logs = receipts.flatMap((receipt) => receipt.logs);
  return given + logs.reduce((sum, { data }) => sum + data.length, 0);
}
