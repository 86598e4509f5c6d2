import type { Killable } from "./kill-rounds.ts";
import { PRIVATE_CHAIN_KEYS, startPrivateNode } from "./private-chain.ts";
import { startNodeIn } from "./started-node.ts";

/** A development node that seals on demand. */
export async function startKillableDev(dataDir: string): Promise<Killable> {
  const { child, exited, endpoints, chainId, accounts } = await startNodeIn(dataDir);
  return {
    url: endpoints.http,
    chainId,
    keys: accounts.slice(0, 4).map(({ privateKey }) => privateKey),
    kill: () => kill(child, exited),
  };
}

/** A node on a private chain created by `initPrivateChain`. */
export async function startKillableNode(dataDir: string): Promise<Killable> {
  const { child, exited, url } = await startPrivateNode(dataDir);
  return { url, chainId: 4242, keys: PRIVATE_CHAIN_KEYS, kill: () => kill(child, exited) };
}

async function kill(child: { kill(signal: "SIGKILL"): boolean }, exited: Promise<unknown>): Promise<void> {
  child.kill("SIGKILL");
  await exited;
}
