import type { CallInterceptor } from "../../../api/rpc/engine/server.ts";
import type { ResetOptions } from "../../../api/rpc/spec/dev/values.ts";
import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import type { Genesis } from "../../../ledger/chain/genesis/genesis.ts";
import { genesisChanges } from "../../../ledger/chain/genesis/genesis-state.ts";
import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import { checkPublicTarget } from "../../../platform/intake/targets.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import { hasStorage } from "../../../protocol/account/account.ts";
import type { Ledger, LedgerFork } from "../../storage/ledger.ts";
import type { FirstBlock } from "../dev-state.ts";
import { DevError } from "../errors.ts";
import type { ReadAhead } from "../read-dump.ts";
import { forkBase } from "./fork-base.ts";
import { type ForkOptions, isHttpUrl, openFork, type RemoteChain } from "./open-fork.ts";
import { readThrough } from "./read-through.ts";

/** What a development chain begins with. */
export interface ForkingParts {
  /** What the chain is started on, and how that was named; undefined for a chain of its own. */
  readonly fork: RemoteChain | undefined;
  readonly options: ForkOptions | undefined;
  /** Whether callers who found a port may have nodes of private networks asked. */
  readonly allowPrivate: boolean;
  readonly genesis: Genesis;
  readonly validatorKey: Uint8Array;
  readonly runtime: Pick<Runtime, "files" | "timers">;
}

/** The chain that a development chain goes on from, if any. It can be replaced by another while the node runs. */
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

  /** A fork as the ledger takes it. */
  ledgerFork(fork: RemoteChain | undefined): LedgerFork | undefined {
    const { genesis, validatorKey } = this.#parts;
    return fork && { base: forkBase(fork, genesis, validatorKey), state: fork.state };
  }

  /** Where the chain begins. */
  firstBlock({ own }: Pick<Ledger, "own">): FirstBlock {
    const ledgerFork = this.ledgerFork(this.#fork);
    if (ledgerFork === undefined)
      return { number: 0n, isPart: false, own, changes: () => genesisChanges(this.#parts.genesis) };
    const { point, changes } = ledgerFork.base;
    return { number: point.number, isPart: true, own, changes };
  }

  /** From now on the other chain's node answers methods about its blocks. */
  serve(chain: Blockchain, pool: TransactionPool): void {
    this.#reads = { chain, pool };
    this.#enter(this.#fork);
  }

  /**
   * The chain that is wished for, at its block; without a wish, what the node was started on.
   * @param isLocal - whether the caller is this process or has its IPC socket; others reach the public internet, and what
   *   the operator named
   * @throws DevError `FORK` when no URL is named and there was none; ForkError
   */
  async find({ url, block }: ResetOptions, isLocal: boolean): Promise<RemoteChain | undefined> {
    if (url === undefined && block === undefined) return this.#parts.fork;
    const { options, runtime } = this.#parts;
    const wanted = url ?? this.#fork?.url;
    if (wanted === undefined)
      throw new DevError("FORK", "forking names no jsonRpcUrl, and nothing was forked before");
    const { cacheDir } = options ?? {};
    // What was given for one node, such as its headers, is not for another.
    const common = options?.url === wanted ? options : { ...(cacheDir !== undefined && { cacheDir }) };
    const { block: _first, ...how } = common as ForkOptions;
    const onlyPublic = !this.#mayReach(wanted, isLocal);
    return openFork({ ...how, url: wanted, ...(block !== undefined && { block }) }, runtime, onlyPublic);
  }

  /**
   * Has another node of the same chain asked from now on.
   * @param isLocal - as in `find`
   * @throws DevError `FORK`; IntakeError `FORBIDDEN_TARGET`, and what keeps a name from being looked up
   */
  async moveNode(url: string, isLocal: boolean): Promise<void> {
    if (this.#fork === undefined) throw new DevError("FORK", "this chain is no fork of another");
    if (!isHttpUrl(url)) throw new DevError("FORK", "a URL that begins with http:// or https:// is expected");
    const onlyPublic = !this.#mayReach(url, isLocal);
    if (onlyPublic) await checkPublicTarget(new URL(url));
    this.#fork.node.moveTo({ url: new URL(url), onlyPublic });
  }

  /** Fetches accounts with slots from the other chain's node, where there is one, before they are read. */
  async readAhead(reads: readonly ReadAhead[]): Promise<void> {
    const state = this.#fork?.state;
    if (state === undefined) return;
    await state.prefetch(reads.map(({ address }) => address));
    for (const { address, slots } of reads) {
      const account = state.account(address);
      if (account && hasStorage(account)) await state.prefetchSlots(address, slots);
    }
  }

  /** Whether a URL may lead anywhere: the operator says so, or has named its place before. */
  #mayReach(url: string, isLocal: boolean): boolean {
    const origin = URL.canParse(url) ? new URL(url).origin : url;
    if (isLocal || this.#parts.allowPrivate) this.#named.add(origin);
    return this.#named.has(origin);
  }

  /**
   * Begins the chain anew on a fork that was found, or on its own genesis. For use within `Blockchain.exclusive`.
   * @throws DevError `FORK` where a data folder keeps the chain
   */
  async moveTo(fork: RemoteChain | undefined, { restart }: Pick<Ledger, "restart">): Promise<void> {
    try {
      if (restart === undefined)
        throw new DevError(
          "FORK",
          "the chain of a data folder keeps what it goes on from; start one in memory to move it",
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

  /** Gives up what is being read, so that nobody waits for a slow node while this one stops. */
  stopReading(): void {
    this.#fork?.node.close();
  }

  /** Ends the reading from a node that the chain moved to. */
  async close(): Promise<void> {
    if (this.#fork !== this.#parts.fork) await this.#fork?.close();
  }

  #enter(fork: RemoteChain | undefined): void {
    this.#fork = fork;
    this.#interceptor = fork && this.#reads && readThrough({ fork, ...this.#reads });
  }
}
