import type { PreviewOptions } from "../../network/consensus/solo/preview-parts.ts";
import type { Runtime } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Keystore, WalletManager } from "../../wallet/wallet.ts";
import type { Departures } from "../departures.ts";
import type { NodeOptions } from "../node-options.ts";
import { genesisOf } from "../storage/genesis.ts";
import { impersonatingWallets } from "./accounts/impersonating-wallets.ts";
import { DevRules } from "./blocks/dev-rules.ts";
import { type DevSetup, devChainOf, prepareDevChain } from "./dev-chain.ts";
import { DevError } from "./errors.ts";
import { noteBlock, withNotedBlock } from "./fork/fork-note.ts";
import { Forking } from "./fork/forking.ts";
import type { ForkOptions, RemoteChain } from "./fork/open-fork.ts";

/**
 * How long the transactions of one block may run, in milliseconds. The protocol's 250 would leave transactions out of a block
 * requested by hand on a busy machine; the block's gas is bounded all the same.
 */
const BLOCK_TIME_LIMIT_MS = 10_000;

/** What a development chain works with. */
export interface DevelopmentParts {
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** What a development chain is built from before it exists, and how it departs from the protocol. */
export class Development implements Departures {
  readonly setup: DevSetup;
  readonly rules: DevRules;
  readonly forking: Forking;
  readonly previews: PreviewOptions;
  readonly blockTimeLimitMs = BLOCK_TIME_LIMIT_MS;
  readonly #fork: RemoteChain | undefined;
  readonly #note: (fork: RemoteChain) => Promise<void>;

  /** @param fork - the fork point that the chain starts from */
  constructor(
    setup: DevSetup,
    fork: RemoteChain | undefined,
    options: NodeOptions,
    { runtime, logger }: DevelopmentParts,
  ) {
    const { validatorKey } = setup;
    this.setup = setup;
    this.#fork = fork;
    this.forking = new Forking({
      ...{ fork, options: options.fork, genesis: genesisOf(options, setup.genesis), validatorKey },
      ...{ runtime, logger },
      allowPrivate: options.allowPrivateForks ?? false,
    });
    this.rules = new DevRules(
      () => this.forking.fork,
      typeof options.dev === "object" ? options.dev.codeSizeLimit : undefined,
    );
    this.previews = { extraInputs: () => this.rules.nextBlock.setting, isOpen: true };
    this.#note = (fork) => noteBlock(fork, options.dataDir, runtime);
  }

  get genesis() {
    return this.setup.genesis;
  }

  get validatorKey() {
    return this.setup.validatorKey;
  }

  get accountKeys() {
    return this.setup.accounts.map(({ privateKey }) => privateKey);
  }

  get overrides() {
    return this.rules;
  }

  get ledgerFork() {
    return this.forking.ledgerFork(this.#fork);
  }

  get firstNumber() {
    return this.forking.firstNumber;
  }

  get nextBlock() {
    return this.rules.nextBlock;
  }

  get interceptor() {
    return this.forking.interceptor;
  }

  /** Records the fork point, once the chain is open. */
  async note(): Promise<void> {
    if (this.#fork) await this.#note(this.#fork);
  }

  wallets(wallets: Keystore): WalletManager {
    return impersonatingWallets(wallets, this.rules.impersonation);
  }

  stopReading(): void {
    this.forking.stopReading();
  }

  async close(): Promise<void> {
    await this.forking.close();
    await this.#fork?.close();
  }
}

/**
 * Prepares the development chain that the options ask for, if any; on a fork, the remote node is asked for its block.
 * @throws DevError `FORK` if a chain that is not a development chain is to be forked, ForkError, WalletError
 */
export async function openDevelopment(
  options: NodeOptions,
  parts: DevelopmentParts,
): Promise<Development | undefined> {
  const { runtime } = parts;
  const fork =
    options.fork && (await forkFrom(withNotedBlock(options.fork, options.dataDir, runtime), runtime));
  try {
    const chain = devChainOf(options, fork);
    if (chain) return new Development(await prepareDevChain(chain), fork, options, parts);
    if (fork) throw new DevError("FORK", "only a development chain can fork another one");
    return undefined;
  } catch (error) {
    await fork?.close();
    throw error;
  }
}

/** Few chains are forks, so the code that reads another chain is loaded only when needed. */
async function forkFrom(options: ForkOptions, runtime: Runtime): Promise<RemoteChain> {
  const { openFork } = await import("./fork/open-fork.ts");
  return openFork(options, runtime);
}
