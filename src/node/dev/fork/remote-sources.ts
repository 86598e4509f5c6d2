import type { NetworkChainName } from "../../../api/rpc/spec/chain-names.ts";
import type { ForkCache } from "../../../ledger/remote/fork-cache.ts";
import { REMOTE_ROOT } from "../../../ledger/remote/forked-view.ts";
import type { RemoteAccount, RemoteSlot, RemoteSource } from "../../../ledger/remote/remote-source.ts";
import {
  type Account,
  CODE_INFO_ISTANBUL,
  hasCode,
  isEmptyAccount,
  newContract,
  newEoa,
} from "../../../protocol/account/account.ts";
import { accountFromJson } from "../../../protocol/account/account-json.ts";
import { delegationTarget } from "../../../protocol/account/delegation.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { equalBytes, type Hash, trimLeadingZeros } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { ForkError } from "./errors.ts";
import type { RemoteCall, RemoteNode } from "./remote-node.ts";
import { bytesOf, illFormed, objectOf, quantityOf } from "./remote-values.ts";

/** The state of a remote chain after a block, read over RPC. */
abstract class RpcSource implements RemoteSource {
  protected readonly node: RemoteNode;
  /** Number of the block as hex. */
  protected readonly block: string;
  readonly #cache: Pick<ForkCache, "hasRoom">;

  /** @param cache - of what was read */
  constructor(node: RemoteNode, block: bigint, cache: Pick<ForkCache, "hasRoom">) {
    this.node = node;
    this.#cache = cache;
    this.block = `0x${block.toString(16)}`;
  }

  abstract accounts(addresses: readonly Uint8Array[]): Promise<readonly RemoteAccount[]>;

  async slots(slots: readonly RemoteSlot[]): Promise<readonly Uint8Array[]> {
    const values = await this.read(
      slots.map(({ address, slot }) => [
        "eth_getStorageAt",
        bytesToHex(address),
        bytesToHex(slot),
        this.block,
      ]),
    );
    return values.map((value) => trimLeadingZeros(wordOf(value)));
  }

  async hashes(numbers: readonly bigint[]): Promise<readonly Hash[]> {
    const blocks = await this.read(
      numbers.map((number) => ["eth_getBlockByNumber", `0x${number.toString(16)}`, false]),
    );
    return blocks.map((block) =>
      bytesOf(objectOf(block, "eth_getBlockByNumber")["hash"], "eth_getBlockByNumber", 32),
    );
  }

  /** Calls with a clear error where the node has no state of the block. */
  protected async read(calls: readonly RemoteCall[]): Promise<Json[]> {
    if (!this.#cache.hasRoom)
      throw new ForkError(
        "REMOTE_FAILED",
        `too much has been read from ${this.node.name} to keep more of it`,
      );
    try {
      return await this.node.callAll(calls);
    } catch (cause) {
      if (cause instanceof ForkError) throw cause;
      const text = `the forked node ${this.node.name} cannot provide the state of block ${BigInt(this.block)}: ${(cause as Error).message}`;
      throw new ForkError("REMOTE_FAILED", text, {}, { cause });
    }
  }
}

/** A node with Ethereum's methods. */
export class EthereumSource extends RpcSource {
  async accounts(addresses: readonly Uint8Array[]): Promise<readonly RemoteAccount[]> {
    const methods = ["eth_getBalance", "eth_getTransactionCount", "eth_getCode"];
    const values = await this.read(
      addresses
        .map(bytesToHex)
        .flatMap((address) => methods.map((method) => [method, address, this.block] as const)),
    );
    return addresses.map((_, i) => {
      const [balance, nonce, code] = values.slice(3 * i, 3 * i + 3);
      return ethereumAccount(
        quantityOf(balance, "eth_getBalance"),
        quantityOf(nonce, "eth_getTransactionCount", 64),
        bytesOf(code, "eth_getCode"),
      );
    });
  }
}

function ethereumAccount(balance: bigint, nonce: bigint, code: Uint8Array): RemoteAccount {
  if (code.length === 0) {
    const account = { ...newEoa(balance), nonce };
    return { account: isEmptyAccount(account) ? undefined : account, code };
  }
  const born = delegationTarget(code) === undefined ? newContract(balance) : newEoa(balance);
  return { account: withCode({ ...born, nonce }, code), code };
}

function withCode(account: Account, code: Uint8Array): Account {
  return { ...account, codeHash: keccak256(code), codeInfo: CODE_INFO_ISTANBUL, storageRoot: REMOTE_ROOT };
}

/** A node that returns accounts with type and key, as `kaia_getAccount` or `klay_getAccount`. */
export class KaiaSource extends RpcSource {
  readonly #namespace: NetworkChainName;

  /** @param namespace - of its methods for accounts */
  constructor(
    node: RemoteNode,
    block: bigint,
    cache: Pick<ForkCache, "hasRoom">,
    namespace: NetworkChainName,
  ) {
    super(node, block, cache);
    this.#namespace = namespace;
  }

  async accounts(addresses: readonly Uint8Array[]): Promise<readonly RemoteAccount[]> {
    const methods = [`${this.#namespace}_getAccount`, `${this.#namespace}_getCode`];
    const values = await this.read(
      addresses
        .map(bytesToHex)
        .flatMap((address) => methods.map((method) => [method, address, this.block] as const)),
    );
    const [account, code] = methods as [string, string];
    return addresses.map((_, i) =>
      kaiaAccount(values[2 * i] ?? null, bytesOf(values[2 * i + 1], code), { account, code }),
    );
  }
}

/** @param names - of the methods that returned them */
function kaiaAccount(json: Json, code: Uint8Array, names: { account: string; code: string }): RemoteAccount {
  const account = json === null ? undefined : readAccount(json, names.account);
  if (account === undefined || isEmptyAccount(account)) return { account: undefined, code };
  const isToldTruly = code.length === 0 ? !hasCode(account) : equalBytes(keccak256(code), account.codeHash);
  if (!isToldTruly) throw illFormed(names.code, `does not have the hash that ${names.account} gave`);
  return { account, code };
}

function readAccount(json: Json, method: string): Account | undefined {
  try {
    return accountFromJson(json);
  } catch (cause) {
    throw illFormed(method, `is not an account: ${(cause as Error).message}`);
  }
}

/** A storage word; nodes differ in how they write zeros. */
function wordOf(value: Json): Uint8Array {
  const bytes = bytesOf(value, "eth_getStorageAt");
  if (bytes.length > 32) throw illFormed("eth_getStorageAt", "is longer than a word");
  return bytes;
}
