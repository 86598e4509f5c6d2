import { Common, type Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM, type EVM } from "@ethereumjs/evm";
import { SimpleStateManager } from "@ethereumjs/statemanager";
import { Address, createAccount, type PrefixedHexString } from "@ethereumjs/util";
import type { BlockContext } from "../../../src/ledger/evm/evm.ts";
import { address } from "../../../src/ledger/evm/testing/run-code.ts";
import { bigintToFixedBytes } from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../src/protocol/primitives/hex.ts";
import type { FirstAccount } from "../state-tests/world-state.ts";
import { accountLine, type Observed, type ObservedTransaction } from "./observed.ts";
import { type Scene, type SceneTransaction, SENDER } from "./scene.ts";

const sender = new Address(address(SENDER));

/** A state in memory that deletes code and storage together with the account. */
class MemoryState extends SimpleStateManager {
  override async deleteAccount(at: Address): Promise<void> {
    await super.deleteAccount(at);
    await this.clearStorage(at);
    this.topCodeStack().delete(at.toString());
  }

  async reset(accounts: readonly FirstAccount[]): Promise<void> {
    this.accountStack = [new Map()];
    this.codeStack = [new Map()];
    this.storageStack = [new Map()];
    this.originalStorageCache.clear();
    for (const { address: bytes, balance, nonce, code, storage } of accounts) {
      const at = new Address(bytes);
      await this.putAccount(at, createAccount({ balance, nonce }));
      if (code.length > 0) await this.putCode(at, code);
      for (const [slot, value] of storage) await this.putStorage(at, slot, value);
    }
  }

  lines(): string[] {
    const slots: Map<string, string[]> = new Map();
    for (const [key, value] of this.topStorageStack()) {
      const digits = bytesToHex(value)
        .slice(2)
        .replace(/^(00)+/, "");
      if (digits === "") continue;
      const [at, slot] = key.split("_") as [string, string];
      slots.set(at, [...(slots.get(at) ?? []), `${slot}=0x${digits}`]);
    }
    return [...this.topAccountStack()]
      .flatMap(([at, account]) =>
        account ? [accountLine(at, account, bytesToHex(account.codeHash), slots.get(at) ?? [])] : [],
      )
      .sort();
  }
}

/** `@ethereumjs/evm` under one fork. */
export class EthereumjsEngine {
  readonly #evm: EVM;
  readonly #state: MemoryState;
  readonly #block;
  readonly #warm: readonly PrefixedHexString[];
  readonly #blobHashes: PrefixedHexString[];

  private constructor(evm: EVM, state: MemoryState, block: BlockContext, blobHashes: readonly Uint8Array[]) {
    this.#evm = evm;
    this.#state = state;
    this.#block = blockOf(block);
    this.#blobHashes = blobHashes.map(bytesToHex);
    this.#warm = [...evm.precompiles.keys()].map((digits) => `0x${digits}` as const);
  }

  /** An engine for scenes in one block. */
  static async create(
    hardfork: Hardfork,
    block: BlockContext,
    blobHashes: readonly Uint8Array[],
  ): Promise<EthereumjsEngine> {
    const stateManager = new MemoryState();
    const common = new Common({ chain: Mainnet, hardfork });
    const evm = await createEVM({ common, stateManager });
    return new EthereumjsEngine(evm, stateManager, block, blobHashes);
  }

  /** Runs a scene. */
  async run(scene: Scene): Promise<Observed> {
    await this.#state.reset(scene.accounts);
    const transactions: ObservedTransaction[] = [];
    for (const tx of scene.transactions) transactions.push(await this.#apply(tx));
    return { transactions, state: this.#state.lines() };
  }

  async #apply(tx: SceneTransaction): Promise<ObservedTransaction> {
    const evm = this.#evm;
    this.#warmUp(tx);
    const { execResult } = await evm.runCall({
      caller: sender,
      ...(tx.to && { to: new Address(tx.to) }),
      value: tx.value,
      data: tx.input,
      gasLimit: tx.gas,
      gasPrice: 7n,
      blobVersionedHashes: this.#blobHashes,
      block: this.#block,
    });
    await this.#finish(execResult.selfdestruct ?? new Map(), execResult.createdAddresses ?? new Set());
    // it reports the failure of some precompiles as a revert, although it consumes their gas
    const isPrecompile = tx.to !== undefined && evm.precompiles.has(bytesToHex(tx.to).slice(2));
    const error = execResult.exceptionError?.error as string | undefined;
    const outcome =
      error === undefined ? "success" : error === "revert" && !isPrecompile ? "revert" : "failure";
    return {
      outcome,
      gasLeft: outcome === "failure" ? 0n : tx.gas - execResult.executionGasUsed,
      output: outcome === "failure" ? "0x" : bytesToHex(execResult.returnValue),
      logs:
        outcome === "success"
          ? (execResult.logs ?? []).map(([at, topics, data]) => [at, ...topics, data].map(bytesToHex).join())
          : [],
      refund: outcome === "success" ? (execResult.gasRefund ?? 0n) : 0n,
    };
  }

  #warmUp(tx: SceneTransaction): void {
    const { journal, common } = this.#evm;
    if (!common.isActivatedEIP(2929)) return;
    for (const at of this.#warm) journal.addAlwaysWarmAddress(at);
    journal.addAlwaysWarmAddress(sender.toString());
    if (tx.to) journal.addAlwaysWarmAddress(bytesToHex(tx.to));
    for (const { address: at, slots } of tx.accessList) {
      journal.addAlwaysWarmAddress(bytesToHex(at));
      for (const slot of slots) journal.addAlwaysWarmSlot(bytesToHex(at), bytesToHex(slot));
    }
  }

  /** Finalizes a transaction: deletes destroyed accounts and touched empty ones, and clears transient state. */
  async #finish(destroyed: Iterable<readonly [PrefixedHexString, unknown]>, created: Set<PrefixedHexString>) {
    const { journal, common, transientStorage } = this.#evm;
    for (const [at] of destroyed) {
      if (common.isActivatedEIP(6780) && !created.has(at)) continue;
      await journal.deleteAccount(new Address(Uint8Array.from(Buffer.from(at.slice(2), "hex"))));
    }
    await journal.cleanup();
    this.#state.originalStorageCache.clear();
    transientStorage.clear();
  }
}

function blockOf(block: BlockContext) {
  return {
    header: {
      number: block.number,
      coinbase: new Address(block.coinbase),
      timestamp: block.time,
      difficulty: block.prevRandao,
      prevRandao: bigintToFixedBytes(block.prevRandao, 32),
      gasLimit: block.gasLimit,
      baseFeePerGas: block.baseFee,
      getBlobGasPrice: () => block.blobBaseFee,
    },
  };
}
