import { BlockImporter } from "../../../src/ledger/chain/import/importer.ts";
import { DiskHealth } from "../../../src/ledger/database/disk-health.ts";
import { createEvm } from "../../../src/ledger/evm/engine/create-evm.ts";
import { precompiles } from "../../../src/ledger/evm/precompiles/index.ts";
import { SimulatedMachine } from "../../../src/ledger/state/testing/machine.ts";
import { ChainTransactionPool } from "../../../src/ledger/txpool/transaction-pool.ts";
import { BlockProducer } from "../../../src/network/consensus/block-producer.ts";
import { IstanbulEngine } from "../../../src/network/consensus/istanbul/engine/istanbul-engine.ts";
import type {
  RawConsensusMessage,
  ValidatorPeer,
} from "../../../src/network/consensus/istanbul/engine/validator-peer.ts";
import { VoteJournal } from "../../../src/network/consensus/istanbul/journal/vote-journal.ts";
import {
  openRecorded,
  type RecordedChain,
  readFixture,
  readJson,
} from "../../../src/network/consensus/testing/recorded-chain.ts";
import type { Runtime } from "../../../src/platform/runtime/runtime.ts";
import type { SimulatedRuntime } from "../../../src/platform/runtime/simulated.ts";
import { silentLogger } from "../../../src/platform/telemetry/logger.ts";
import { loadBls } from "../../../src/protocol/crypto/bls.ts";
import type { Bls } from "../../../src/protocol/crypto/bls-interface.ts";
import { addressOfPublicKey, publicKeyOf } from "../../../src/protocol/crypto/secp256k1.ts";
import type { Address } from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { createInlineRecovery } from "../../../src/protocol/transaction/signatures/recovery.ts";
import { rememberSigners } from "../../../src/protocol/transaction/signatures/remembered-signers.ts";
import type { Transaction } from "../../../src/protocol/transaction/transaction.ts";
import type { Random } from "../fuzz-rpc/random.ts";
import { Violation } from "./history.ts";

/** Cached results of BLS checks, for all nodes: otherwise they take nine tenths of the time. */
const BLS = await rememberingBls();
const EVM = createEvm({ precompiles, now: () => 0 });
const GENESIS = readFixture("bft4/genesis.json").toString();
const KEYS: readonly Uint8Array[] = readJson("bft4/validators.json").map(({ nodeKey }: { nodeKey: string }) =>
  hexToBytes(nodeKey),
);
/** Validators of the recorded network. */
export const WHOLE_NODES = KEYS.length;

/** Prefix of simulated disk errors. */
export const SIMULATED = "simulated";

/** The environment of a node. */
export interface Surroundings {
  readonly runtime: SimulatedRuntime;
  readonly random: Random;
  /** Sends a message of a node to another. */
  pass(from: WholeNode, to: WholeNode, message: RawConsensusMessage): void;
  readonly nodes: readonly WholeNode[];
  /** Whether nodes forget their messages; to check that the simulation finds it. */
  readonly forgets: boolean;
}

/** From a start to a power loss. */
interface Life extends RecordedChain {
  readonly engine: IstanbulEngine;
  readonly importer: BlockImporter;
  readonly pool: ChainTransactionPool;
}

/** A validator with everything but sockets: chain, state, pool, engine and journal, on a disk that can lose power and fail. */
export class WholeNode {
  readonly index: number;
  readonly address: Address;
  readonly #around: Surroundings;
  readonly #machine: SimulatedMachine;
  readonly #peers = new Map<number, ValidatorPeer>();
  #life: Life | undefined;
  /** Counts lives; pending work ends with a life. */
  #lives = 0;

  constructor(index: number, around: Surroundings) {
    this.index = index;
    this.#around = around;
    this.address = addressOfPublicKey(publicKeyOf(this.#key));
    this.#machine = new SimulatedMachine(
      { recentBlocks: 128, archive: false },
      undefined,
      around.runtime.timers,
    );
  }

  get #key(): Uint8Array {
    return KEYS[this.index] as Uint8Array;
  }

  /** Undefined while it is off. */
  get chain() {
    return this.#life?.chain;
  }

  /** Starts from the data on disk. */
  async start(): Promise<void> {
    const life = ++this.#lives;
    const runtime = this.#runtimeOf(life);
    const { clock } = runtime;
    if (life > 1) this.#machine.start();
    const { store, files } = this.#machine;
    const recorded = await openRecorded(GENESIS, { clock, nodeKey: this.#key, store, bls: BLS, evm: EVM });
    const { chain, processor, branches, rules, extensions } = recorded;
    const { chainId } = chain.config;
    const recovery = rememberSigners(createInlineRecovery(chainId), chainId);
    const pool = new ChainTransactionPool({ chain, recovery, now: () => clock.now() });
    const producer = new BlockProducer({
      ...{ chain, processor, branches, runtime, logger: silentLogger, author: this.address, pool },
      ...{ settings: {}, verification: { recovery } },
    });
    const engine = new IstanbulEngine({
      ...{ rules, validators: extensions.validators, nodeKey: this.#key, settings: {}, runtime },
      logger: silentLogger,
      openJournal: () =>
        this.#around.forgets
          ? VoteJournal.inMemory()
          : VoteJournal.open(files, "votes", new DiskHealth(runtime.timers)),
      peers: () => this.#peersIn(life),
      watch: { began() {}, timedOut() {}, refused() {}, decided() {} },
    });
    const importer = new BlockImporter({ chain, processor, branches, consensus: rules, recovery, runtime });
    if (life !== this.#lives) return;
    this.#life = { ...recorded, engine, importer, pool };
    engine.start(producer);
  }

  /**
   * Loses power. Any part of pending writes may be on the disk.
   * @returns number and hash of the newest block that it had reported
   */
  losePower(): { readonly number: bigint; readonly hash: string } | undefined {
    const { random } = this.#around;
    const shown = this.#life && {
      number: this.#life.chain.head.header.number,
      hash: bytesToHex(this.#life.chain.head.hash),
    };
    this.#life = undefined;
    this.#lives++;
    this.#machine.losePower(
      (appending) => random.below(appending + 1),
      () => random.chance(0.7),
    );
    return shown;
  }

  /** The next write fails. */
  failDisk(): void {
    const error = this.#around.random.pick(["ENOSPC", "EIO"]);
    this.#machine.files.failNextAppend(Object.assign(new Error(`${SIMULATED} ${error}`), { code: error }));
  }

  /** A message of another arrives. */
  receive(from: WholeNode, message: RawConsensusMessage): void {
    this.#life?.engine.receive(this.#peer(from, this.#lives), message);
  }

  /** Receives transactions from a client. Known ones, and those that cannot be accepted now, are no error. */
  async submit(transactions: readonly Transaction[]): Promise<void> {
    await this.#life?.pool.addAll(transactions, { local: true });
  }

  /** Imports blocks after its head from another node. */
  async catchUp(other: WholeNode): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    for (;;) {
      const block = other.chain?.block(life.chain.tip.header.number + 1n);
      if (block === undefined || this.#life !== life) return;
      const before = life.chain.tip.header.number;
      await life.importer.import(block).catch(() => {});
      if (life.chain.tip.header.number === before) return;
    }
  }

  /** @throws Violation if a block that it had reported is lost */
  holds(shown: { readonly number: bigint; readonly hash: string } | undefined): void {
    if (shown === undefined || this.#life === undefined) return;
    const hash = this.#life.chain.hash(shown.number);
    if (hash === undefined || bytesToHex(hash) !== shown.hash)
      throw new Violation(
        `validator ${this.index} had shown block ${shown.number}, and lost it with its power`,
      );
  }

  *#peersIn(life: number): Iterable<ValidatorPeer> {
    for (const node of this.#around.nodes) if (node !== this) yield this.#peer(node, life);
  }

  #peer(node: WholeNode, life: number): ValidatorPeer {
    const key = life * WHOLE_NODES + node.index;
    let peer = this.#peers.get(key);
    if (peer === undefined) {
      const send = (message: RawConsensusMessage) => {
        if (life === this.#lives) this.#around.pass(this, node, message);
      };
      peer = { address: node.address, send };
      this.#peers.set(key, peer);
    }
    return peer;
  }

  /** Callbacks of an earlier life are dropped. */
  #runtimeOf(life: number): Runtime {
    const { runtime } = this.#around;
    const schedule = (delayMs: number, callback: () => void) =>
      runtime.timers.schedule(delayMs, () => {
        if (life === this.#lives) callback();
      });
    return { ...runtime, timers: { schedule } };
  }
}

async function rememberingBls(): Promise<Bls> {
  const bls = await loadBls();
  const known = new Map<string, boolean>();
  const remember = (parts: readonly Uint8Array[], check: () => boolean): boolean => {
    const key = parts.map(bytesToHex).join();
    const result = known.get(key) ?? check();
    known.set(key, result);
    return result;
  };
  return {
    ...bls,
    verify: (signature, message, key) =>
      remember([signature, message, key], () => bls.verify(signature, message, key)),
    verifyPossession: (proof, key) => remember([proof, key], () => bls.verifyPossession(proof, key)),
  };
}
