import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Bootnode,
  type Kind,
  type NetworkNode,
  type NodeSettings,
  startBootnode,
  startNode,
  tailOf,
} from "./node.ts";

const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url));
/** A genesis with one validator and every fork, of which `LONG_CHAIN` is a chain. */
const GENESIS = join(fixtures, "chains/all-types/genesis.json");
/** 2,600 blocks of the reference, most of them empty. */
export const LONG_CHAIN: string = join(fixtures, "network/long.rlp.gz");
/** Chain and network of that genesis. */
export const CHAIN_ID = 2019;

const { keys } = JSON.parse(readFileSync(join(fixtures, "chains/all-types/keys.json"), "utf8")) as {
  readonly keys: readonly { readonly label: string; readonly privateKey: string }[];
};

/** A private key of the chain's accounts, 64 hex digits: `validator0` seals its blocks, `alice` and `bob` have funds. */
export function keyOf(label: string): string {
  const found = keys.find((one) => one.label === label);
  if (found === undefined) throw new Error(`no key of ${label}`);
  return found.privateKey.slice(2);
}

/** Time limit for what a scene waits for, even on a busy machine. */
const TIMEOUT_MS = 300_000;

/** Settings of a node that the stage does not provide. */
export type Part = Omit<NodeSettings, "folder" | "genesisFile" | "networkId" | "key"> & {
  readonly key?: string;
};

/** The nodes of one scene; removes everything afterwards. */
export class Stage {
  readonly folder: string = mkdtempSync(join(tmpdir(), "kairn-network-"));
  readonly nodes: NetworkNode[] = [];
  readonly #bootnodes: Bootnode[] = [];
  #started = 0;
  readonly #genesisFile: string;

  /** @param genesisFile - of the network; by default with one validator and every fork */
  constructor(genesisFile: string = GENESIS) {
    this.#genesisFile = genesisFile;
  }

  /** Starts a node; the validator of the default genesis if its role is `cn` and no key is given. */
  async start(part: Part): Promise<NetworkNode> {
    this.#started++;
    const key =
      part.key ?? (part.role === "cn" ? keyOf("validator0") : this.#started.toString(16).padStart(64, "4"));
    const node = await startNode({
      ...{ folder: this.folder, genesisFile: this.#genesisFile, networkId: CHAIN_ID, key },
      ...part,
    });
    this.nodes.push(node);
    return node;
  }

  /** Restarts a stopped or killed node with the same folder, key and port. */
  async restart(node: NetworkNode): Promise<NetworkNode> {
    const again = await startNode(node.settings);
    this.nodes.splice(this.nodes.indexOf(node), 1, again);
    return again;
  }

  async bootnode(kind: Kind): Promise<Bootnode> {
    const bootnode = await startBootnode(kind, this.folder, CHAIN_ID);
    this.#bootnodes.push(bootnode);
    return bootnode;
  }

  /** The ends of all logs, for error messages. */
  logs(): string {
    return this.nodes
      .map(({ name }) => `--- ${name}\n${tailOf(join(this.folder, `${name}.log`))}`)
      .join("\n");
  }

  async close(): Promise<void> {
    await Promise.all([...this.nodes, ...this.#bootnodes].map((node) => node.stop().catch(() => undefined)));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Polls until the response is as expected. @throws Error that names what was awaited and the last response */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T>,
  isWanted: (answer: T) => boolean,
  patienceMs: number = TIMEOUT_MS,
): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask().catch((error: Error) => error);
    if (!(answer instanceof Error) && isWanted(answer)) return answer;
    if (Date.now() > deadline)
      throw new Error(`${what}: still ${answer instanceof Error ? answer.message : JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Waits until a node has a block. */
export function reaches(node: NetworkNode, height: number): Promise<number> {
  return eventually(
    `${node.name} (${node.kind}) reaches block ${height}`,
    node.height,
    (now) => now >= height,
  );
}

/** Fails unless all nodes have the same block at each of the heights. */
export async function agree(nodes: readonly NetworkNode[], heights: readonly number[]): Promise<void> {
  for (const height of heights) {
    const number = `0x${height.toString(16)}`;
    const hashes = await Promise.all(
      nodes.map(async (node) => (await node.call("eth_getBlockByNumber", number, false))?.hash),
    );
    const isSame = hashes.every((hash) => typeof hash === "string" && hash === hashes[0]);
    expectThat(isSame, `block ${height} is ${hashes.join(", ")}`);
  }
}

/** Fails a scene unless a condition holds. */
export function expectThat(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}
