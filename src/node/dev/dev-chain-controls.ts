import type { ChainControls } from "../../api/rpc/handlers/dev/dev-controls.ts";
import type { WireObject } from "../../api/rpc/spec/wire-types.ts";
import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { ChainTransactionPool } from "../../ledger/txpool/transaction-pool.ts";
import type { ChainClock } from "../../network/consensus/solo/chain-clock.ts";
import { FORKS } from "../../protocol/params/forks.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { DevRules } from "./dev-rules.ts";
import type { DevState } from "./dev-state.ts";
import { DevError } from "./errors.ts";
import type { Snapshots } from "./snapshots.ts";

/** What control over a development chain as a whole needs. */
export interface DevChainParts {
  readonly chain: Blockchain;
  readonly pool: ChainTransactionPool;
  readonly clock: ChainClock;
  readonly rules: DevRules;
  readonly state: DevState;
  readonly snapshots: Snapshots;
  readonly clientVersion: string;
  readonly version: string;
  /** Unlike that of any other run. */
  readonly instanceId: Hash;
}

/** Next block, pool, snapshots and reset of a development chain. */
export class DevChainControls implements ChainControls {
  readonly #parts: DevChainParts;

  constructor(parts: DevChainParts) {
    this.#parts = parts;
  }

  setNextBaseFee(baseFee: bigint): void {
    this.#parts.rules.nextBlock.ask({ baseFee });
    this.#parts.chain.announce();
  }

  setRewardbase(address: Address): void {
    this.#parts.rules.nextBlock.ask({ rewardbase: address });
  }

  setPrevRandao(value: Hash): void {
    this.#parts.rules.nextBlock.ask({ prevRandao: value });
  }

  drop(hash: Hash): boolean {
    const { pool, chain } = this.#parts;
    const transaction = pool.get(hash);
    if (transaction !== undefined) pool.remove([transaction]);
    else if (chain.place(hash) !== undefined) {
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
    const { chain } = this.#parts;
    return chain.exclusive(async () => {
      await chain.rewind(chain.tip.header.number - depth);
      chain.announce();
    });
  }

  reset(): Promise<void> {
    const { chain, pool, clock, rules, state, snapshots } = this.#parts;
    return chain.exclusive(async () => {
      pool.clear();
      await state.resetToFirst();
      snapshots.clear();
      clock.reset();
      rules.nextBlock.restore({});
      rules.impersonation.restore({ accounts: [], isAutomatic: false });
      chain.announce();
    });
  }

  dump(): Promise<Uint8Array> {
    return this.#parts.state.dump();
  }

  load(state: Uint8Array): Promise<void> {
    return this.#parts.state.load(state);
  }

  metadata(): WireObject {
    const { chain, snapshots, clientVersion, version, instanceId } = this.#parts;
    const { header, hash } = chain.head;
    const taken = snapshots.list().map((snapshot) => {
      const id = `0x${snapshot.id.toString(16)}`;
      return [id, { blockNumber: Number(snapshot.number), blockHash: bytesToHex(snapshot.hash) }];
    });
    return {
      clientVersion,
      clientSemver: version,
      chainId: Number(chain.config.chainId),
      instanceId: bytesToHex(instanceId),
      latestBlockNumber: Number(header.number),
      latestBlockHash: bytesToHex(hash),
      forkedNetwork: null,
      snapshots: Object.fromEntries(taken),
    };
  }

  nodeInfo(): WireObject {
    const { chain } = this.#parts;
    const { header, hash } = chain.head;
    const baseFee = hex(chain.nextBaseFee());
    return {
      currentBlockNumber: hex(header.number),
      currentBlockTimestamp: Number(header.time),
      currentBlockHash: bytesToHex(hash),
      hardFork: FORKS[chain.rulesAt(header.number).level - 1] ?? "frontier",
      transactionOrder: "fees",
      environment: {
        baseFee,
        chainId: Number(chain.config.chainId),
        // Blocks have no gas limit; clients that want a number get that of one transaction.
        gasLimit: hex(MAX_GAS),
        gasPrice: baseFee,
      },
      forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
    };
  }
}

/** Most gas that one transaction may have. */
const MAX_GAS = 500_000_000n;

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
