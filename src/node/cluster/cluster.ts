// One class: the whole life of a node's role in its cluster.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { LogState } from "../../network/cluster/change-log.ts";
import { ClusterError, isTransient } from "../../network/cluster/errors.ts";
import { checkLease } from "../../network/cluster/follower/common-ancestor.ts";
import { Follower } from "../../network/cluster/follower/follower.ts";
import { createQuarantine } from "../../network/cluster/follower/quarantine.ts";
import { LeaseKeeper } from "../../network/cluster/writer/lease-keeper.ts";
import { LeaseWatch } from "../../network/cluster/writer/lease-watch.ts";
import type { Runtime } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { equalBytes } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { Ledger } from "../storage/ledger.ts";
import type { SharedLog } from "./shared-log.ts";
import { SnapshotService } from "./snapshot-service.ts";

/** Dependencies of a node's role. */
export interface ClusterParts {
  readonly shared: SharedLog;
  readonly ledger: Ledger;
  readonly dataDir: string | undefined;
  /** JSON-RPC URL of this node as followers reach it; empty if it has none. */
  readonly ownUrl: string;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** How long a node waits for the database at start-up. */
const TIMEOUT_MS = 30_000;
const RETRY_MS = 250;
/** Errors that concern only the log's next record, not those before it. */
const RECORD_ERRORS: ReadonlySet<string> = new Set(["BAD_RECORD", "LOG_GAP"]);
/** Maximum interval at which a standby polls the lease. */
const STANDBY_POLL_MS = 250;
/** How long a stopping writer drains its queue. */
const DRAIN_MS = 3_000;

/** The status of a node in its cluster. */
export interface ClusterStatus {
  /** `standby` until it takes over. */
  readonly role: "writer" | "standby" | "follower" | "feeder";
  readonly epoch: bigint;
  /** Head of the log, as last seen. */
  readonly logHeight: bigint;
  /** Blocks that a follower, or a writer's log, is behind. */
  readonly lag: number;
  /** Milliseconds since a follower last polled the log. */
  readonly polledMs: number | undefined;
  /** Remaining milliseconds of a writer's lease. */
  readonly leaseLeftMs: number | undefined;
  readonly refused: number;
  readonly appended: { readonly records: number; readonly bytes: number };
  readonly failure: ClusterError | undefined;
}

/** A node's role: the writer appends its blocks to the log, all others apply those of the log. */
export class Cluster {
  readonly #parts: ClusterParts;
  readonly #follower: Follower;
  readonly #listeners: (() => void)[] = [];
  readonly #snapshots: SnapshotService;
  readonly #watch: LeaseWatch;
  #isWriter = false;
  #state: LogState | undefined;
  #lease: LeaseKeeper | undefined;
  #following: Promise<void> = Promise.resolve();
  /** Whether a standby has announced its blocks: with `shared`, those that the log lacks at start-up were not announced. */
  #keepsOwn: boolean;
  #isStopped = false;

  constructor(parts: ClusterParts) {
    this.#parts = parts;
    const { shared, ledger, runtime, logger, dataDir } = parts;
    const { chain, engine, recovery, importer } = ledger;
    const { role, verify, durability } = shared.settings;
    this.#keepsOwn = durability === "local";
    this.#watch = new LeaseWatch(runtime.clock);
    this.#snapshots = new SnapshotService({ shared, ledger, dataDir, runtime, logger });
    this.#follower = new Follower({
      ...{ log: shared.log, chain, consensus: engine, recovery, runtime, logger },
      quarantine: createQuarantine(dataDir && join(dataDir, "quarantine"), runtime.files, logger),
      trustsSenders: verify === "hash",
      ...(verify === "full" && { execute: (block) => importer.import(block) }),
      keepsOwn: () => role === "writer" || (role === "standby" && this.#keepsOwn),
      ...(role === "standby" && { maxPollMs: STANDBY_POLL_MS, onPoll: (state) => this.#pollLease(state) }),
    });
  }

  /** Whether this node has no keys and seals no blocks. */
  get isFollower(): boolean {
    return this.#parts.shared.settings.role === "follower";
  }

  /** Whether blocks come only from the log. */
  get isFed(): boolean {
    const { role } = this.#parts.shared.settings;
    return role === "follower" || role === "standby";
  }

  /** Where to forward transactions: undefined if this node seals blocks itself, empty if no writer is known. */
  get writerUrl(): string | undefined {
    if (this.#isWriter || !this.isFed) return undefined;
    return this.#parts.shared.settings.rpcUrl ?? this.#follower.state?.url ?? "";
  }

  /** @throws ClusterError `NOT_WRITER` while blocks come only from the log */
  checkWriter(): void {
    if (this.#isWriter || !this.isFed) return;
    const { role } = this.#parts.shared.settings;
    const text = `this node is a ${role} of a change log: only its writer may change the chain manually`;
    throw new ClusterError("NOT_WRITER", text);
  }

  get status(): ClusterStatus {
    const { shared, ledger } = this.#parts;
    const { role } = shared.settings;
    const { logHeight, polledMs, refused, failure } = this.#follower.status;
    const { feed } = shared;
    const common = { refused, appended: feed.appended, leaseLeftMs: this.#lease?.leftMs };
    if (this.#isWriter || role === "feeder") {
      const { blocks, failure } = feed.lag;
      const height = ledger.chain.tip.header.number;
      const now = role === "feeder" ? role : "writer";
      const at = { logHeight: height - BigInt(blocks), lag: blocks, polledMs: undefined };
      return { ...common, ...at, role: now, epoch: this.#state?.epoch ?? 0n, failure };
    }
    const lag = Math.max(0, Number(logHeight - ledger.chain.head.header.number));
    const epoch = this.#follower.state?.epoch ?? 0n;
    return { ...common, role, epoch, logHeight, lag, polledMs, failure };
  }

  /** Calls a listener once this node is the writer; immediately if it already is. */
  whenWriter(listener: () => void): void {
    if (this.#isWriter) listener();
    else this.#listeners.push(listener);
  }

  /**
   * Starts the role: afterwards a writer holds the lease, and a follower has caught up with the log.
   * @throws ClusterError
   */
  async start(): Promise<void> {
    const { shared } = this.#parts;
    const { role, genesis } = shared.settings;
    const own = bytesToHex(this.#chain().genesisHash);
    if (genesis !== undefined && genesis.toLowerCase() !== own)
      throw new ClusterError(
        "LOG_OTHER_CHAIN",
        `the genesis of this node's chain is ${own}, and --changelog.genesis wants ${genesis}`,
      );
    if (role === "feeder") return this.#feed();
    if (role === "writer") {
      await this.#withRetries(() => this.#prepare());
      await this.#untilAcquired();
      await this.#withRetries(() => this.#becomeWriter());
      return;
    }
    await this.#withRetries(() => shared.log.open(this.#chain()));
    await this.#withRetries(() =>
      this.#follower.catchUp().catch((error) => {
        // The record is reread while the blocks before it are served.
        if (!(error instanceof ClusterError && RECORD_ERRORS.has(error.code))) throw error;
      }),
    );
    this.#keepsOwn = true;
    this.#following = this.#follower
      .run()
      .then(() =>
        this.#isStopped || this.isFollower ? undefined : this.#withRetries(() => this.#becomeWriter()),
      );
    this.#following.catch((error) => this.#fail(error));
  }

  /** Stops following, drains the queue to the log, and releases the lease. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const { shared, logger } = this.#parts;
    await this.#follower.stop();
    await this.#following.catch(() => {});
    await this.#snapshots.stop();
    const lacks = await shared.feed.close(DRAIN_MS);
    if (lacks > 0) logger.warn("the change log lacks blocks of this node", { lacks });
    this.#lease?.close();
    if (this.#state && this.#lease) await shared.log.release(this.#state.epoch).catch(() => {});
  }

  #chain() {
    const { chain } = this.#parts.ledger;
    return { genesisHash: chain.genesisHash, chainId: chain.config.chainId };
  }

  async #prepare(): Promise<LogState> {
    const { shared, ledger } = this.#parts;
    const { header, hash } = ledger.chain.tip;
    return shared.log.prepare(this.#chain(), { height: header.number, hash });
  }

  /** Continues a log shared by validators from its head, whoever has appended to it so far. */
  async #feed(): Promise<void> {
    const { shared, ledger } = this.#parts;
    const state = await this.#withRetries(() => this.#prepare());
    if (state.epoch !== 0n)
      throw new ClusterError(
        "LOG_FENCED",
        `the change log has a single writer (${state.holder}): it takes no feeders`,
      );
    const { tip } = ledger.chain;
    const isAhead = state.height > tip.header.number;
    const head = isAhead ? { height: tip.header.number, hash: tip.hash } : state;
    this.#check(head.hash, head.height);
    this.#state = state;
    shared.feed.begin(0n, head, () => {});
    this.#isWriter = true;
    this.#snapshots.begin(0n, state);
    for (const listener of this.#listeners.splice(0)) listener();
  }

  #check(hash: Uint8Array, height: bigint): void {
    const own = this.#parts.ledger.chain.ancestry.hash(height);
    if (own === undefined || equalBytes(own, hash)) return;
    throw new ClusterError("DIVERGED", `block ${height} of this node is not the one of the change log`, {
      height,
    });
  }

  /** Waits for the lease, somewhat longer than its duration. */
  async #untilAcquired(): Promise<void> {
    const { shared, runtime, logger } = this.#parts;
    const { leaseMs } = shared.settings;
    let isLogged = false;
    let [first, renewed] = [undefined as string | undefined, false];
    for (const until = runtime.clock.elapsed() + 2 * leaseMs + 1_000; ; await pause(RETRY_MS)) {
      const seen = await this.#withRetries(() => shared.log.state());
      if (await this.#withRetries(() => this.#acquire(seen))) return;
      const { holder, url, leftMs, until: end } = seen;
      renewed ||= first !== undefined && end !== first;
      first ??= end;
      const facts = { holder, url, leftMs: Math.round(leftMs) };
      if (!isLogged) logger.info("another node holds the lease of the change log", facts);
      isLogged = true;
      if (runtime.clock.elapsed() < until) continue;
      const text = renewed
        ? `${holder} holds the lease of the change log and renews it: a second writer waits with --role standby`
        : `${holder} has the lease of the change log for ${Math.round(leftMs / 1_000)} s and does not renew it: was a clock set ` +
          "back, or the lease edited by hand? A node with --role standby takes over in ten minutes at most";
      throw new ClusterError("LEASE_HELD", text, facts);
    }
  }

  async #acquire(seen: LogState): Promise<boolean> {
    const { shared, runtime, ownUrl } = this.#parts;
    const { log, holder, settings } = shared;
    const sinceMs = runtime.clock.elapsed();
    const overdue = this.#watch.overdue(seen);
    const state = await log.acquire({ holder, url: ownUrl, ttlMs: settings.leaseMs, overdue });
    if (state === undefined) return false;
    if (overdue !== undefined && seen.leftMs > 0)
      this.#parts.logger.warn(
        "took over a lease that is valid by the database's clock, but was not renewed",
        {
          holder: seen.holder,
          leftMs: Math.round(seen.leftMs),
        },
      );
    this.#state = state;
    this.#lease?.close();
    this.#lease = new LeaseKeeper({
      ...{ log, runtime, sinceMs, epoch: state.epoch, ttlMs: settings.leaseMs },
      outlivesDatabase: settings.durability === "local",
      onLost: (error) => this.#fail(error),
    });
    return true;
  }

  async #pollLease(state: LogState): Promise<"stay" | "leave"> {
    const isOver = state.leftMs <= 0 || this.#watch.overdue(state) !== undefined;
    if (!isOver || state.height > this.#parts.ledger.chain.tip.header.number) return "stay";
    return (await this.#acquire(state)) ? "leave" : "stay";
  }

  /** With the lease acquired: applies the rest of the log, then appends the blocks that this chain is ahead. */
  async #becomeWriter(): Promise<void> {
    const { shared, ledger, logger } = this.#parts;
    const { epoch } = this.#state as LogState;
    const state = await this.#follower.catchUp();
    await checkLease(shared.log, state);
    this.#check(state.hash, state.height);
    const own = ledger.chain.tip.header.number;
    shared.feed.begin(epoch, state, () => this.#lease?.check());
    if (shared.settings.durability === "shared") await this.#drain();
    this.#isWriter = true;
    logger.info("this node writes the chain", { epoch, block: own, unlogged: own - state.height });
    this.#snapshots.begin(epoch, state);
    for (const listener of this.#listeners.splice(0)) listener();
  }

  /** Waits until the log has all of this node's blocks, which are not announced before. */
  async #drain(): Promise<void> {
    const { shared, runtime } = this.#parts;
    let cancel = (): void => {};
    const late = new Promise<never>((_, reject) => {
      cancel = runtime.timers.schedule(TIMEOUT_MS, () => {
        const text = `the change log still lacks ${shared.feed.lag.blocks} blocks of this node, which are not announced before`;
        reject(new ClusterError("LOG_FAILED", text));
      });
    });
    await Promise.race([shared.feed.caughtUp(), late]).finally(cancel);
  }

  /** Retries a task while the database is unreachable, up to a timeout. */
  async #withRetries<T>(action: () => Promise<T>): Promise<T> {
    const { runtime, logger } = this.#parts;
    let isLogged = false;
    for (const until = runtime.clock.elapsed() + TIMEOUT_MS; ; await pause(RETRY_MS)) {
      try {
        return await action();
      } catch (error) {
        if (!isTransient(error) || this.#isStopped || runtime.clock.elapsed() > until) throw error;
        if (!isLogged) logger.warn("waiting for the change log", { error: error.message });
        isLogged = true;
      }
    }
  }

  #fail(cause: unknown): void {
    if (this.#isStopped) return;
    const error =
      cause instanceof ClusterError
        ? cause
        : new ClusterError("LOG_FAILED", `the change log failed: ${(cause as Error).message}`, {}, { cause });
    this.#lease?.close();
    this.#parts.shared.feed.fail(error);
    this.#parts.shared.fail(error);
  }
}
