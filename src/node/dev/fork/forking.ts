import type { CallInterceptor } from "../../../api/rpc/engine/server-options.ts";
import type { ResetOptions } from "../../../api/rpc/spec/dev/values.ts";
import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import type { Genesis } from "../../../ledger/chain/genesis/genesis.ts";
import { genesisChanges } from "../../../ledger/chain/genesis/genesis-state.ts";
import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import { hasStorage } from "../../../protocol/account/account.ts";
import type { Ledger, LedgerFork } from "../../storage/ledger.ts";
import { DevError } from "../errors.ts";
import type { FirstBlock } from "../state/dev-state.ts";
import type { ReadAhead } from "../state/read-dump.ts";
import { forkBase } from "./fork-base.ts";
import type { ForkOptions, RemoteChain } from "./open-fork.ts";
import { readThrough } from "./read-through.ts";

/** What a development chain begins with. */
export interface ForkingParts {
  /** The initial fork, and how it was specified; undefined for a chain that is not a fork. */
  readonly fork: RemoteChain | undefined;
  readonly options: ForkOptions | undefined;
  /** Whether remote callers may have the node fork from nodes on private networks. */
  readonly allowPrivate: boolean;
  readonly genesis: Genesis;
  readonly validatorKey: Uint8Array;
  readonly runtime: Pick<Runtime, "files" | "timers">;
  readonly logger: Logger;
}

/** The chain that a development chain forks, if any. It can be replaced while the node runs. */
export class Forking {
  readonly #parts: ForkingParts;
  #fork: RemoteChain | undefined;
  #reads: { readonly chain: Blockchain; readonly pool: TransactionPool } | undefined;
  #interceptor: CallInterceptor | undefined;
  /** Origins that the operator named. */
  readonly #named = new Set<string>();

  constructor(parts: ForkingParts) {
    this.#parts = parts;
    this.#fork = parts.fork;
    if (parts.options) this.#named.add(new URL(parts.options.url).origin);
  }

  get fork(): RemoteChain | undefined {
    return this.#fork;
  }

  /** Intercepts calls of the node's methods, once `serve` was called. */
  get interceptor(): CallInterceptor | undefined {
    return this.#interceptor;
  }

  /** Number of the first block that is this node's own. */
  get firstNumber(): bigint {
    return this.#fork === undefined ? 0n : this.#fork.point.number + 1n;
  }

  /** A fork in the form that the ledger takes. */
  ledgerFork(fork: RemoteChain | undefined): LedgerFork | undefined {
    const { genesis, validatorKey } = this.#parts;
    return fork && { base: forkBase(fork, genesis, validatorKey), state: fork.state };
  }

  /** The first block of the chain. */
  firstBlock({ own }: Pick<Ledger, "own">): FirstBlock {
    const ledgerFork = this.ledgerFork(this.#fork);
    if (ledgerFork === undefined)
      return { number: 0n, isPart: false, own, changes: () => genesisChanges(this.#parts.genesis) };
    const { point, changes } = ledgerFork.base;
    return { number: point.number, isPart: true, own, changes };
  }

  /** From now on the remote node answers methods about its blocks. */
  serve(chain: Blockchain, pool: TransactionPool): void {
    this.#reads = { chain, pool };
    this.#enter(this.#fork);
  }

  /**
   * The requested chain at its block; by default the one that the node was started on.
   * @param isLocal - whether the caller is this process or has its IPC socket; others may only name nodes on the public
   * internet, or ones the operator has named
   * @throws DevError `FORK` when no URL is named and there was none; ForkError
   */
  async find({ url, block }: ResetOptions, isLocal: boolean): Promise<RemoteChain | undefined> {
    if (url === undefined && block === undefined) return this.#parts.fork;
    const { options, runtime } = this.#parts;
    const wanted = url ?? this.#fork?.url;
    if (wanted === undefined)
      throw new DevError("FORK", "forking names no jsonRpcUrl, and nothing was forked before");
    const { cacheDir } = options ?? {};
    // Settings for one node, such as its headers, are not sent to another.
    const common = options?.url === wanted ? options : { ...(cacheDir !== undefined && { cacheDir }) };
    const { block: _first, ...how } = common as ForkOptions;
    const onlyPublic = !this.#mayReach(wanted, isLocal);
    const { openFork } = await import("./open-fork.ts");
    return openFork({ ...how, url: wanted, ...(block !== undefined && { block }) }, runtime, onlyPublic);
  }

  /**
   * Switches to another node of the same chain. Without effect on a chain that is not a fork, as with anvil.
   * @param isLocal - as in `find`
   * @throws DevError `FORK`; IntakeError `FORBIDDEN_TARGET`, and errors of name resolution
   */
  async moveNode(url: string, isLocal: boolean): Promise<void> {
    const { isHttpUrl } = await import("./open-fork.ts");
    if (!isHttpUrl(url)) throw new DevError("FORK", "a URL that begins with http:// or https:// is expected");
    if (this.#fork === undefined) return;
    const onlyPublic = !this.#mayReach(url, isLocal);
    if (onlyPublic) {
      const { checkPublicTarget } = await import("../../../platform/intake/targets.ts");
      await checkPublicTarget(new URL(url));
    }
    const { node, cache } = this.#fork;
    node.moveTo({ url: new URL(url), onlyPublic });
    if (!node.isFirst) cache.keepNoMore();
  }

  /** On a fork, prefetches accounts and slots from the remote node. */
  async readAhead(reads: readonly ReadAhead[]): Promise<void> {
    const state = this.#fork?.state;
    if (state === undefined) return;
    await state.prefetch(reads.map(({ address }) => address));
    for (const { address, storage } of reads) {
      const account = state.account(address);
      if (account && hasStorage(account))
        await state.prefetchSlots(
          address,
          Array.from(storage, ({ slot }) => slot),
        );
    }
  }

  /** Whether a URL may lead anywhere: the operator allows it, or has named that origin before. */
  #mayReach(url: string, isLocal: boolean): boolean {
    const origin = URL.canParse(url) ? new URL(url).origin : url;
    if (isLocal || this.#parts.allowPrivate) this.#named.add(origin);
    return this.#named.has(origin);
  }

  /**
   * Restarts the chain on a fork, or on its own genesis. For use within `Blockchain.exclusive`.
   * @throws DevError `FORK` if the chain is kept in a data folder
   */
  async moveTo(fork: RemoteChain | undefined, { restart }: Pick<Ledger, "restart">): Promise<void> {
    try {
      if (restart === undefined)
        throw new DevError(
          "FORK",
          "a chain in a data folder keeps its fork point; start one in memory to change it",
        );
      await restart(this.ledgerFork(fork));
    } catch (error) {
      if (fork !== this.#parts.fork) await fork?.close();
      throw error;
    }
    const before = this.#fork;
    this.#enter(fork);
    if (before !== this.#parts.fork) await before?.close();
  }

  /** Aborts running reads, so that nothing waits for a slow node while this one stops. */
  stopReading(): void {
    this.#fork?.node.close();
  }

  /** Stops reading from a node that the chain had switched to. */
  async close(): Promise<void> {
    if (this.#fork !== this.#parts.fork) await this.#fork?.close();
  }

  #enter(fork: RemoteChain | undefined): void {
    this.#fork = fork;
    if (fork?.isProven === false)
      this.#parts.logger.warn("the forked node does not prove its block, and is trusted", {
        node: fork.node.name,
        block: fork.point.number,
      });
    this.#interceptor = fork && this.#reads && readThrough({ fork, ...this.#reads });
  }
}
