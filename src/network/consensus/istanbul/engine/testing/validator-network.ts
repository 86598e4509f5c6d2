import type { Blockchain } from "../../../../../ledger/chain/blockchain.ts";
import { BlockImporter } from "../../../../../ledger/chain/import/importer.ts";
import { DiskHealth } from "../../../../../ledger/database/disk-health.ts";
import { ChainTransactionPool } from "../../../../../ledger/txpool/transaction-pool.ts";
import {
  createSimulatedFiles,
  type SimulatedFiles,
} from "../../../../../platform/runtime/simulated/files.ts";
import { createSimulatedRuntime, type SimulatedRuntime } from "../../../../../platform/runtime/simulated.ts";
import { createLogger, silentLogger } from "../../../../../platform/telemetry/logger.ts";
import { addressOfPublicKey, publicKeyOf } from "../../../../../protocol/crypto/secp256k1.ts";
import type { Address } from "../../../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../../../protocol/primitives/hex.ts";
import { createInlineRecovery } from "../../../../../protocol/transaction/signatures/recovery.ts";
import { BlockProducer } from "../../../block-producer.ts";
import { openRecorded, type RecordedChain, readFixture, readJson } from "../../../testing/recorded-chain.ts";
import { VoteJournal } from "../../journal/vote-journal.ts";
import type { ViewId } from "../../machine/types.ts";
import type { ConsensusMessage } from "../../messages/message.ts";
import { openMessage } from "../../messages/open-message.ts";
import { IstanbulEngine } from "../istanbul-engine.ts";
import type { RawConsensusMessage, ValidatorPeer } from "../validator-peer.ts";

/** Latency of a message in milliseconds. */
const DELAY_MS = 5;
/** Start of the clock: after the genesis of the recorded network. */
const START_MS = 1_900_000_000_000;

/** A message between two validators. */
export interface InFlightMessage {
  readonly from: number;
  readonly to: number;
  readonly message: ConsensusMessage;
}

/** An event of the round watch. */
export interface RoundEvent extends ViewId {
  readonly what: "began" | "timedOut" | "refused" | "decided";
  readonly reason?: string;
}

/** One validator of a network in memory. */
export interface TestValidator {
  readonly index: number;
  readonly address: Address;
  readonly key: Uint8Array;
  readonly chain: Blockchain;
  readonly recorded: RecordedChain;
  readonly engine: IstanbulEngine;
  readonly pool: ChainTransactionPool;
  readonly events: RoundEvent[];
  /** The files of its journal. */
  readonly files: SimulatedFiles;
  isUp: boolean;
}

/** Four validators of the recorded network `bft4` in memory, under one virtual clock, with links between all. */
export class ValidatorNetwork {
  readonly runtime: SimulatedRuntime = createSimulatedRuntime({ startMs: START_MS });
  readonly validators: TestValidator[] = [];
  readonly #inbound = new Map<string, ValidatorPeer>();
  /** All messages sent, in order, including lost ones. */
  readonly sent: InFlightMessage[] = [];
  /** Warnings and errors of all validators. */
  readonly logged: string[] = [];
  readonly #logger = createLogger({
    ...{ verbosity: 2, format: "text", now: () => 0 },
    write: (line) => void this.logged.push(line),
  }).logger;
  /** Whether a message gets through. */
  link: (message: InFlightMessage) => boolean = () => true;
  /** Whether a validator sees another as connected. */
  isConnected: (from: number, to: number) => boolean = () => true;

  /** Starts validators of the recorded network. */
  static async start(indexes: readonly number[] = [0, 1, 2, 3]): Promise<ValidatorNetwork> {
    const network = new ValidatorNetwork();
    for (const index of indexes) await network.startValidator(index);
    return network;
  }

  validator(index: number): TestValidator {
    const found = this.validators.find((validator) => validator.index === index);
    if (found === undefined) throw new Error(`no validator ${index}`);
    return found;
  }

  /** Advances time until a condition is met. @returns milliseconds that it took */
  async until(isMet: () => boolean, limitMs = 120_000): Promise<number> {
    const startMs = this.runtime.clock.elapsed();
    while (!isMet()) {
      if (this.runtime.clock.elapsed() - startMs > limitMs)
        throw new Error("the condition was not met in time");
      await this.runtime.advance(100);
    }
    return this.runtime.clock.elapsed() - startMs;
  }

  /** Advances time until all running validators have a block. */
  reach(number: number, limitMs?: number): Promise<number> {
    const up = () => this.validators.filter(({ isUp }) => isUp);
    return this.until(() => up().every(({ chain }) => chain.head.header.number >= number), limitMs);
  }

  /** Kills a validator as by a power loss. Its journal keeps what was on disk. */
  kill(index: number): void {
    this.validator(index).isUp = false;
  }

  /** Starts a validator, also after a kill, with the chain of another running one. */
  async startValidator(index: number): Promise<TestValidator> {
    const before = this.validators.findIndex((validator) => validator.index === index);
    const files = this.validators[before]?.files.afterPowerLoss(() => 0) ?? createSimulatedFiles();
    const key = hexToBytes((readJson("bft4/validators.json") as { nodeKey: string }[])[index]?.nodeKey ?? "");
    const { clock } = this.runtime;
    const recorded = await openRecorded(readFixture("bft4/genesis.json").toString(), { clock, nodeKey: key });
    const { chain, processor, branches, rules, extensions } = recorded;
    const recovery = createInlineRecovery(chain.config.chainId);
    const other = this.validators.find(({ isUp }) => isUp);
    const head = other?.chain.head.header.number ?? 0n;
    for (let n = 1n; n <= head; n++) {
      const block = other?.chain.block(n);
      if (block !== undefined) await recorded.insert(block);
    }
    await chain.published();
    const pool = new ChainTransactionPool({ chain, recovery, now: () => clock.now() });
    const address = addressOfPublicKey(publicKeyOf(key));
    const producer = new BlockProducer({
      ...{ chain, processor, branches, pool, runtime: this.runtime, logger: silentLogger, author: address },
      ...{ settings: {}, verification: { recovery } },
    });
    const events: RoundEvent[] = [];
    const peers = new Map<number, ValidatorPeer>();
    const life = { isUp: () => validator.isUp };
    const engine = new IstanbulEngine({
      ...{ rules, validators: extensions.validators, nodeKey: key, settings: {} },
      ...{ runtime: this.runtime, logger: this.#logger },
      openJournal: () => VoteJournal.open(files, "votes", new DiskHealth({ schedule: () => () => {} })),
      peers: () => this.#peersOf(index, peers, life),
      watch: {
        began: (at) => events.push({ what: "began", ...at }),
        timedOut: (at) => events.push({ what: "timedOut", ...at }),
        refused: (at, reason) => events.push({ what: "refused", ...at, reason }),
        decided: (at) => events.push({ what: "decided", ...at }),
      },
    });
    const validator: TestValidator = {
      ...{ index, address, key, chain, recorded, engine, pool, events, files },
      isUp: true,
    };
    if (before < 0) this.validators.push(validator);
    else this.validators[before] = validator;
    this.#spread(
      validator,
      new BlockImporter({
        ...{ chain, processor, branches, consensus: rules, recovery },
        runtime: this.runtime,
      }),
    );
    engine.start(producer);
    return validator;
  }

  /** Sends a message to a validator as if it came from another. */
  deliver(from: number, to: number, passed: RawConsensusMessage): void {
    this.runtime.timers.schedule(DELAY_MS, () => {
      const { engine, isUp } = this.validator(to);
      if (!isUp) return;
      const peer = this.#inbound.get(`${from}/${to}`) ?? { address: this.validator(from).address, send() {} };
      this.#inbound.set(`${from}/${to}`, peer);
      engine.receive(peer, passed);
    });
  }
  *#peersOf(
    own: number,
    peers: Map<number, ValidatorPeer>,
    life: { readonly isUp: () => boolean },
  ): Iterable<ValidatorPeer> {
    for (const { index, address } of this.validators) {
      if (index === own || !this.isConnected(own, index)) continue;
      const peer = peers.get(index) ?? {
        address,
        send: (passed: RawConsensusMessage) => {
          if (life.isUp()) this.#pass(own, index, passed);
        },
      };
      peers.set(index, peer);
      yield peer;
    }
  }

  #pass(from: number, to: number, passed: RawConsensusMessage): void {
    const inFlight = { from, to, message: openMessage(passed.payload, () => true) };
    this.sent.push(inFlight);
    if (this.link(inFlight)) this.deliver(from, to, passed);
  }

  /** Lets a validator fetch the blocks that others have, as nodes do. */
  #spread(validator: TestValidator, importer: BlockImporter): void {
    const follow = () => {
      if (!this.validators.includes(validator)) return;
      this.runtime.timers.schedule(50, () => {
        if (validator.isUp) void this.#catchUp(validator, importer).then(follow);
        else follow();
      });
    };
    follow();
  }

  async #catchUp({ chain, index }: TestValidator, importer: BlockImporter): Promise<void> {
    for (const other of this.validators) {
      const number = chain.tip.header.number + 1n;
      const block = other.isUp && other.index !== index ? other.chain.block(number) : undefined;
      if (block !== undefined) await importer.import(block).catch(() => {});
    }
  }
}
