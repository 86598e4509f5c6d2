import { join } from "node:path";
import { RpcError } from "../../../api/rpc/engine/errors.ts";
import { NETWORK_CHAIN_NAMES, type NetworkChainName } from "../../../api/rpc/spec/chain-names.ts";
import { ForkCache } from "../../../ledger/remote/fork-cache.ts";
import type { ForkPoint } from "../../../ledger/remote/fork-point.ts";
import { RemoteState } from "../../../ledger/remote/remote-state.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { slotsAhead } from "./ahead.ts";
import { checkedHeader } from "./checked-header.ts";
import { ForkError } from "./errors.ts";
import { ethereumHash } from "./ethereum-header.ts";
import { RemoteNode } from "./remote-node.ts";
import { EthereumSource, KaiaSource } from "./remote-sources.ts";
import { bytesOf, illFormed, quantityOf } from "./remote-values.ts";

/** What to fork, and how. */
export interface ForkOptions {
  /** JSON-RPC over HTTP of a Kaia, Klaytn or Ethereum node. */
  readonly url: string;
  /** Absent = its latest block. */
  readonly block?: bigint;
  /** Sent with each request, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Folder that caches what was fetched across restarts; absent = memory only. */
  readonly cacheDir?: string;
  /** Timeout of a response; default 30 s. */
  readonly timeoutMs?: number;
  /** Further tries of a failing request, with growing pauses; default 4. */
  readonly retries?: number;
}

/** Namespace in which a node returns accounts with their keys; `eth` if it has neither. */
type Dialect = NetworkChainName | "eth";

/** A remote chain at one block. */
export interface RemoteChain {
  readonly point: ForkPoint;
  readonly state: RemoteState;
  readonly cache: ForkCache;
  readonly node: RemoteNode;
  readonly dialect: Dialect;
  /** Whether the block's header has the hash it is known by; otherwise the other node is trusted. */
  readonly isProven: boolean;
  readonly url: string;
  close(): Promise<void>;
}

/** What a cache file begins with. */
interface Noted extends Record<keyof ForkPoint, string> {
  readonly dialect: Dialect;
  /** Absent in notes of earlier versions. */
  readonly isProven?: boolean;
}

/** What the other node reports about itself and the block. */
type Found = Pick<RemoteChain, "point" | "dialect" | "isProven">;

/**
 * Reads where a fork begins: from the cache when a block is named and was forked before, else from the other node.
 * @param onlyPublic - whether the URL must lead to the public internet
 * @throws ForkError, RpcError
 */
export async function openFork(
  options: ForkOptions,
  { files, timers }: Pick<Runtime, "files" | "timers">,
  onlyPublic = false,
): Promise<RemoteChain> {
  const { url, block, cacheDir, headers, timeoutMs, retries } = options;
  if (!isHttpUrl(url))
    throw new ForkError("REMOTE_FAILED", "a fork needs a URL that begins with http:// or https://");
  const node = new RemoteNode({ url, onlyPublic, headers, timeoutMs, retries, timers });
  const folder =
    cacheDir && join(cacheDir, bytesToHex(keccak256(new TextEncoder().encode(url))).slice(2, 18));
  const notePath = (number: bigint) => join(folder ?? "", `${number}.json`);
  const isNoted = folder !== undefined && block !== undefined && files.exists(notePath(block));
  const found = isNoted ? readNote(files.read(notePath(block))) : await ask(node, block);
  const { point, dialect } = found;
  if (folder !== undefined && !isNoted) {
    files.createDirectory(folder);
    await files.replace(notePath(point.number), noteOf(found));
  }
  const name = `${point.number}-${bytesToHex(point.hash).slice(2, 10)}.jsonl`;
  const cache = new ForkCache(folder === undefined ? undefined : { files, path: join(folder, name) });
  const source =
    dialect === "eth"
      ? new EthereumSource(node, point.number, cache)
      : new KaiaSource(node, point.number, cache, dialect);
  const close = async (): Promise<void> => {
    node.close();
    await cache.close();
  };
  return { ...found, state: new RemoteState(source, cache, slotsAhead), cache, node, url, close };
}

async function ask(node: RemoteNode, block: bigint | undefined): Promise<Found> {
  const wanted = block === undefined ? "latest" : `0x${block.toString(16)}`;
  const [chainId, found] = await node.callAll([["eth_chainId"], ["eth_getBlockByNumber", wanted, false]]);
  if (found === null || typeof found !== "object" || Array.isArray(found)) {
    throw new ForkError("FORK_BLOCK", `the forked node ${node.name} has no block ${block ?? "latest"}`);
  }
  const point = pointOf(quantityOf(chainId, "eth_chainId", 64), found as Record<string, Json>, block);
  const dialect = await dialectOf(node);
  if (dialect !== "eth") return { point: await checkedPoint(node, dialect, point), dialect, isProven: true };
  const hash = ethereumHash(found as Record<string, Json>, "eth_getBlockByNumber");
  return { point, dialect, isProven: hash !== undefined && equalBytes(hash, point.hash) };
}

/** The same point, verified against the hash. The `eth` form of a Kaia block lacks some of the hashed fields. */
async function checkedPoint(
  node: RemoteNode,
  dialect: NetworkChainName,
  point: ForkPoint,
): Promise<ForkPoint> {
  const method = `${dialect}_getBlockByNumber`;
  const answer = await node.call(method, `0x${point.number.toString(16)}`, false);
  const { number, time, baseFee = 0n } = checkedHeader(answer, method, point.hash);
  if (number !== point.number) throw illFormed(method, `is block ${number}, not ${point.number}`);
  return { ...point, time, baseFee };
}

function pointOf(
  chainId: bigint,
  block: Readonly<Record<string, Json>>,
  wanted: bigint | undefined,
): ForkPoint {
  const method = "eth_getBlockByNumber";
  const number = quantityOf(block["number"], method, 64);
  if (wanted !== undefined && number !== wanted) throw illFormed(method, `is block ${number}, not ${wanted}`);
  return {
    chainId,
    number,
    hash: bytesOf(block["hash"], method, 32),
    time: quantityOf(block["timestamp"], method, 64),
    baseFee: quantityOf(block["baseFeePerGas"] ?? "0x0", method),
  };
}

/** Whether a text is a URL of HTTP, with or without TLS. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Finds out which namespace serves accounts, Kaia's or Klaytn's. */
async function dialectOf(node: RemoteNode): Promise<Dialect> {
  for (const namespace of NETWORK_CHAIN_NAMES) {
    try {
      await node.call(`${namespace}_getAccount`, `0x${"00".repeat(20)}`, "latest");
      return namespace;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }
  return "eth";
}

function noteOf({ point, dialect, isProven }: Found): Uint8Array {
  const { chainId, number, hash, time, baseFee } = point;
  const note: Noted = {
    chainId: String(chainId),
    number: String(number),
    hash: bytesToHex(hash),
    time: String(time),
    baseFee: String(baseFee),
    dialect,
    isProven,
  };
  return new TextEncoder().encode(`${JSON.stringify(note)}\n`);
}

function readNote(bytes: Uint8Array): Found {
  const noted = JSON.parse(new TextDecoder().decode(bytes)) as Noted;
  const { chainId, number, hash, time, baseFee, dialect } = noted;
  const point = {
    chainId: BigInt(chainId),
    number: BigInt(number),
    hash: hexToBytes(hash),
    time: BigInt(time),
    baseFee: BigInt(baseFee),
  };
  return { point, dialect, isProven: noted.isProven ?? dialect !== "eth" };
}
