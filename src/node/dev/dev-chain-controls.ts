import type { ChainControls } from "../../api/rpc/handlers/dev/dev-controls.ts";
import type { ResetOptions } from "../../api/rpc/spec/dev/values.ts";
import type { WireObject } from "../../api/rpc/spec/values/wire-types.ts";
import type { ChainTransactionPool } from "../../ledger/txpool/transaction-pool.ts";
import type { ChainClock } from "../../network/consensus/solo/chain-clock.ts";
import { FORKS } from "../../protocol/params/forks.ts";
import { UPPER_GAS_LIMIT } from "../../protocol/params/gas.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex, hexQuantity } from "../../protocol/primitives/hex.ts";
import type { Ledger } from "../storage/ledger.ts";
import type { DevRules } from "./blocks/dev-rules.ts";
import { DevError } from "./errors.ts";
import type { Forking } from "./fork/forking.ts";
import type { RemoteChain } from "./fork/open-fork.ts";
import type { Snapshots } from "./snapshots/snapshots.ts";
import type { DevState } from "./state/dev-state.ts";
import { LOCAL_DUMP, REMOTE_DUMP } from "./state/read-dump.ts";
import type { PackLimits } from "./state/state-dump.ts";

/** Dependencies of the controls of a development chain as a whole. */
export interface DevChainParts {
  readonly ledger: Ledger;
  readonly forking: Forking;
  readonly pool: ChainTransactionPool;
  readonly clock: ChainClock;
  readonly rules: DevRules;
  readonly state: DevState;
  readonly snapshots: Snapshots;
  /** Resets clock, impersonation and the next block to their initial settings. */
  readonly restart: () => void;
  readonly clientVersion: string;
  readonly version: string;
  /** Different for each run. */
  readonly instanceId: Hash;
}

/** Next block, pool, snapshots and reset of a development chain. */
export class DevChainControls implements ChainControls {
  readonly #parts: DevChainParts;

  constructor(parts: DevChainParts) {
    this.#parts = parts;
  }

  setNextBaseFee(baseFee: bigint): void {
    this.#parts.rules.nextBlock.set({ baseFee });
    this.#parts.ledger.chain.announce();
  }

  setRewardbase(address: Address): void {
    this.#parts.rules.nextBlock.set({ rewardbase: address });
  }

  setPrevRandao(value: Hash): void {
    this.#parts.rules.nextBlock.set({ prevRandao: value });
  }

  drop(hash: Hash): boolean {
    const { pool, ledger } = this.#parts;
    const { chain } = ledger;
    const transaction = pool.get(hash);
    if (transaction !== undefined) pool.remove([transaction]);
    else if (chain.locate(hash) !== undefined) {
      const text = `transaction ${bytesToHex(hash)} cannot be dropped: it is in a block`;
      throw new DevError("ALREADY_MINED", text);
    }
    return transaction !== undefined;
  }

  dropAll(sender?: Address): void {
    const { pool } = this.#parts;
    if (sender === undefined) {
      pool.clear();
      return;
    }
    const { pending, queued } = pool.contentOf(sender);
    pool.remove([...pending, ...queued]);
  }

  snapshot(): Promise<bigint> {
    return this.#parts.snapshots.take();
  }

  revert(id: bigint): Promise<boolean> {
    return this.#parts.snapshots.revert(id);
  }

  rollback(depth: bigint): Promise<void> {
    const { chain } = this.#parts.ledger;
    return chain.exclusive(async () => {
      await chain.rewind(chain.tip.header.number - depth);
      chain.announce();
    });
  }

  async reset(options: ResetOptions = {}, isLocal = true): Promise<void> {
    const { ledger, forking, pool, state, snapshots, restart } = this.#parts;
    const { chain } = ledger;
    const fork = await forking.find(options, isLocal);
    await chain.exclusive(async () => {
      await chain.published();
      chain.beginGeneration();
      pool.clear();
      if (fork === forking.fork) await state.resetToFirst();
      else await forking.moveTo(fork, ledger);
      snapshots.clear();
      restart();
      chain.announce();
    });
  }

  setForkUrl(url: string, isLocal: boolean): Promise<void> {
    return this.#parts.forking.moveNode(url, isLocal);
  }

  dump(limits?: PackLimits): Promise<Uint8Array> {
    return this.#parts.state.dump(limits);
  }

  load(state: Uint8Array, isLocal: boolean): Promise<void> {
    return this.#parts.state.load(state, isLocal ? LOCAL_DUMP : REMOTE_DUMP);
  }

  metadata(): WireObject {
    const { ledger, forking, clientVersion, version, instanceId } = this.#parts;
    const { chain } = ledger;
    const { header, hash } = chain.head;
    return {
      clientVersion,
      clientSemver: version,
      chainId: Number(chain.config.chainId),
      instanceId: bytesToHex(instanceId),
      latestBlockNumber: Number(header.number),
      latestBlockHash: bytesToHex(hash),
      forkedNetwork: forkedNetwork(forking.fork),
    };
  }

  snapshotsById(): WireObject {
    const taken = this.#parts.snapshots.list().map(({ id, number, hash }) => {
      return [`0x${id.toString(16)}`, { blockNumber: Number(number), blockHash: bytesToHex(hash) }];
    });
    return Object.fromEntries(taken);
  }

  nodeInfo(): WireObject {
    const { ledger, forking } = this.#parts;
    const { chain } = ledger;
    const { header, hash } = chain.head;
    const baseFee = hexQuantity(chain.nextBaseFee());
    return {
      currentBlockNumber: hexQuantity(header.number),
      currentBlockTimestamp: Number(header.time),
      currentBlockHash: bytesToHex(hash),
      hardFork: FORKS[chain.rulesAt(header.number).level - 1] ?? "frontier",
      transactionOrder: "fees",
      environment: {
        baseFee,
        chainId: Number(chain.config.chainId),
        // Blocks have no gas limit; clients that want a number get that of one transaction.
        gasLimit: hexQuantity(UPPER_GAS_LIMIT),
        gasPrice: baseFee,
      },
      forkConfig: {
        forkUrl: forking.fork?.node.name ?? null,
        forkBlockNumber: forking.fork === undefined ? null : Number(forking.fork.point.number),
        forkRetryBackoff: null,
      },
    };
  }
}

function forkedNetwork(fork: RemoteChain | undefined): WireObject | null {
  if (fork === undefined) return null;
  const { chainId, number, hash } = fork.point;
  return { chainId: Number(chainId), forkBlockNumber: Number(number), forkBlockHash: bytesToHex(hash) };
}
