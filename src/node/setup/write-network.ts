import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { formatNodeUrl, NodeType, type NodeUrl } from "../../network/p2p/node-url.ts";
import { createFolder } from "../../platform/runtime/create-folder.ts";
import { writeNewFile } from "../../platform/runtime/new-file.ts";
import type { Runtime } from "../../platform/runtime/runtime.ts";
import { blsSecretKey, loadBls } from "../../protocol/crypto/bls.ts";
import { addressOfPublicKey, publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { BlsRecord } from "./bls-registry.ts";
import { networkGenesis } from "./network-genesis.ts";

/** The folder already contains a network. */
export class SetupError extends NodeError<"SETUP_EXISTS"> {
  override name = "SetupError";
}

/** Options of a new network. */
export interface NetworkSetup {
  /** Folder to write to; created if missing. */
  readonly directory: string;
  /** Number of validators, 1 to 100. */
  readonly validators: number;
  /** Absent = random, between 2²⁰ and 2³¹. */
  readonly chainId?: number | undefined;
  /** Address of the machine in the nodes' URLs. */
  readonly host: string;
  /** Ports of the first node; the others use the following ones. */
  readonly ports: { readonly peers: number; readonly http: number };
}

/** The result of writing a network. */
export interface WrittenNetwork {
  readonly chainId: number;
  /** Addresses of the validators, in the order of their folders. */
  readonly validators: readonly Address[];
  /** The account that has the funds. */
  readonly owner: Address;
}

/** The keys of one node, 32 bytes each. */
interface NodeKeys {
  readonly nodeKey: Uint8Array;
  readonly blsKey: Uint8Array;
}

/**
 * Writes the initial files of a network of validators: `genesis.json`; for each node a folder `node1`, `node2`, … with
 * `klay/nodekey`, `klay/bls-nodekey` and `klay/static-nodes.json`, which the reference node reads too; the key of the
 * funded account in `owner-key`; `start.sh`. Key files are readable by their owner only.
 * @throws SetupError if any of these files exists
 */
export async function writeNetwork(
  setup: NetworkSetup,
  { randomness, clock }: Pick<Runtime, "randomness" | "clock">,
): Promise<WrittenNetwork> {
  const { directory, validators } = setup;
  const names = Array.from({ length: validators }, (_, i) => `node${i + 1}`);
  refuseExisting(directory, [...names, "genesis.json", "owner-key", "start.sh"]);
  const keys = names.map((): NodeKeys => {
    const nodeKey = randomness.bytes(32);
    return { nodeKey, blsKey: blsSecretKey(nodeKey) };
  });
  const ownerKey = randomness.bytes(32);
  const owner = addressOf(ownerKey);
  const records = await recordsOf(keys);
  const chainId = setup.chainId ?? drawChainId(randomness);
  const timestamp = Math.floor(clock.now() / 1000);
  createFolder(directory);
  for (const [i, name] of names.entries()) writeNode(join(directory, name), i, keys, setup);
  writeKey(join(directory, "owner-key"), ownerKey);
  const genesis = networkGenesis({ chainId, timestamp, validators: records, owner });
  writeNewFile(join(directory, "genesis.json"), `${JSON.stringify(genesis, null, 2)}\n`);
  writeNewFile(join(directory, "start.sh"), startScript(names, setup.ports));
  chmodSync(join(directory, "start.sh"), 0o755);
  return { chainId, validators: records.map(({ validator }) => validator), owner };
}

function refuseExisting(directory: string, names: readonly string[]): void {
  const found = names.find((name) => existsSync(join(directory, name)));
  if (found === undefined) return;
  const text = `${join(directory, found)} is there already; nothing was written`;
  throw new SetupError("SETUP_EXISTS", text, { directory, found });
}

async function recordsOf(keys: readonly NodeKeys[]): Promise<BlsRecord[]> {
  const bls = await loadBls();
  return keys.map(({ nodeKey, blsKey }) => ({
    validator: addressOf(nodeKey),
    publicKey: bls.publicKey(blsKey),
    possession: bls.provePossession(blsKey),
  }));
}

/** Random by default, so that networks do not accidentally accept each other's transactions. */
function drawChainId(randomness: Runtime["randomness"]): number {
  const [a = 0, b = 0, c = 0, d = 0] = randomness.bytes(4);
  return (1 << 20) + (((((a & 0x7f) << 24) | (b << 16) | (c << 8) | d) >>> 0) % (2 ** 31 - 2 ** 20));
}

function writeNode(
  folder: string,
  own: number,
  keys: readonly NodeKeys[],
  { host, ports }: NetworkSetup,
): void {
  const klay = join(folder, "klay");
  createFolder(klay);
  const { nodeKey, blsKey } = keys[own] as NodeKeys;
  writeKey(join(klay, "nodekey"), nodeKey);
  writeKey(join(klay, "bls-nodekey"), blsKey);
  const urls = keys.flatMap((peer, i) => {
    const port = ports.peers + i;
    return i === own ? [] : [formatNodeUrl({ id: publicKeyOf(peer.nodeKey), ...at(host, port) })];
  });
  writeNewFile(join(klay, "static-nodes.json"), `${JSON.stringify(urls, null, 2)}\n`);
}

/** A consensus node reached only by its URL. */
function at(host: string, tcp: number): Omit<NodeUrl, "id"> {
  return { host, tcp, udp: tcp, subports: [], type: NodeType.cn };
}

function writeKey(file: string, key: Uint8Array): void {
  writeNewFile(file, bytesToHex(key).slice(2), 0o600);
}

function startScript(names: readonly string[], ports: NetworkSetup["ports"]): string {
  const lines = names.map((name, i) => `start ${name} ${ports.peers + i} ${ports.http + i} "$@"`);
  return `#!/bin/sh
# Starts the validators of this folder; Ctrl-C stops them. Flags are handed on to each.
# KAIRN names the program where it is not in the PATH.
cd "$(dirname "$0")" || exit 1
: "\${KAIRN:=kairn}"
for node in ${names.join(" ")}; do
  [ -d "$node/chaindata" ] || $KAIRN init --datadir "$node" genesis.json || exit 1
done
pids=
start() {
  node=$1 port=$2 rpcport=$3
  shift 3
  $KAIRN node --datadir "$node" --nodetype cn --port "$port" --rpc --rpcport "$rpcport" "$@" &
  pids="$pids $!"
}
trap 'kill $pids 2>/dev/null; wait' INT TERM
${lines.join("\n")}
wait
`;
}

function addressOf(key: Uint8Array): Address {
  return addressOfPublicKey(publicKeyOf(key));
}
