import { setTimeout as pause } from "node:timers/promises";
import { addressOfPublicKey, publicKeyOf } from "../../../src/protocol/crypto/secp256k1.ts";
import { type Address, EMPTY_BYTES } from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { encodeTransaction } from "../../../src/protocol/transaction/envelope.ts";
import { signTransaction } from "../../../src/protocol/transaction/signatures/signing.ts";
import { TRANSACTION_TYPES } from "../../../src/protocol/transaction/type-table.ts";
import { type TransactionType, TypeCode } from "../../../src/protocol/transaction/types.ts";
import { createTransaction } from "../../../src/protocol/transaction/value.ts";
import type { ClusterNode } from "./nodes.ts";

/** Keys of accounts of every development chain, by its well-known mnemonic. */
export const KEYS = [
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
  "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
].map(hexToBytes);
const CHAIN_ID = 1337n;
const LEGACY = TRANSACTION_TYPES.find(({ code }) => code === TypeCode.legacy) as TransactionType;
/** How long a sender waits for a receipt before it starts over. */
const TIMEOUT_MS = 8_000;

/** A signed transfer of 1 kei to oneself. */
export function transfer(key: Uint8Array, nonce: bigint): string {
  const unsigned = createTransaction({
    ...{ type: LEGACY, nonce, gasPrice: 100_000_000_000n, gas: 21_000n },
    ...{ to: ownAddress(key), value: 1n, input: EMPTY_BYTES },
  });
  return bytesToHex(encodeTransaction(signTransaction(unsigned, [key], CHAIN_ID)));
}

/** Address of a key, as hex. */
export function addressOf(key: Uint8Array): string {
  return bytesToHex(ownAddress(key));
}

const addresses = new Map<Uint8Array, Address>();

function ownAddress(key: Uint8Array): Address {
  const address = addresses.get(key) ?? addressOfPublicKey(publicKeyOf(key));
  addresses.set(key, address);
  return address;
}

/**
 * Sends transfers through any of the nodes while it runs, and records each whose receipt some node has reported: from then on it
 * must not be lost.
 */
export class ClusterLoad {
  /** Hash of the transaction to hash of the block. */
  readonly acknowledged = new Map<string, string>();
  readonly #nodes: readonly ClusterNode[];
  #isEnding = false;
  readonly #running: Promise<unknown>;

  constructor(nodes: readonly ClusterNode[]) {
    this.#nodes = nodes;
    this.#running = Promise.all(KEYS.map((key, i) => this.#send(key, i)));
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#running;
  }

  async #send(key: Uint8Array, turn: number): Promise<void> {
    for (let i = turn; !this.#isEnding; i++) {
      const node = this.#nodes[i % this.#nodes.length] as ClusterNode;
      try {
        const nonce = BigInt(await node.call<string>("eth_getTransactionCount", addressOf(key), "latest"));
        const raw = transfer(key, nonce);
        const hash = await node.call<string>("kaia_sendRawTransaction", raw);
        await this.#receipt(node, hash);
      } catch {
        await pause(100); // the node is down or sees no writer: try the next one
      }
    }
  }

  async #receipt(node: ClusterNode, hash: string): Promise<void> {
    for (const until = Date.now() + TIMEOUT_MS; Date.now() < until && !this.#isEnding; await pause(30)) {
      const receipt = await node.call<{ blockHash: string } | null>("eth_getTransactionReceipt", hash);
      if (receipt === null) continue;
      this.acknowledged.set(hash, receipt.blockHash);
      return;
    }
  }
}
