import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { computeAddress, getBytes } from "ethers";
import { devGenesis } from "../../src/node/dev/genesis.ts";
import { type Finished, type KairnProcess, runKairn, startKairn } from "./kairn-process.ts";

const VALIDATOR_KEY = "0x1111111111111111111111111111111111111111111111111111111111111111";
/** Keys of the funded accounts. */
export const PRIVATE_CHAIN_KEYS = [0x21, 0x22, 0x23, 0x24].map(
  (byte) => `0x${byte.toString(16).repeat(32)}` as `0x${string}`,
);

/** Writes a genesis whose only validator is the key of the file `nodekey`, and runs `kairn init`. */
export async function initPrivateChain(dataDir: string): Promise<Finished> {
  mkdirSync(dataDir, { recursive: true });
  const genesis = devGenesis({
    chainId: 4242n,
    validator: getBytes(computeAddress(VALIDATOR_KEY)),
    accounts: PRIVATE_CHAIN_KEYS.map((key) => getBytes(computeAddress(key))),
    balance: 10n ** 24n,
  });
  writeFileSync(join(dataDir, "genesis.json"), JSON.stringify(genesis));
  writeFileSync(join(dataDir, "validator.key"), VALIDATOR_KEY.slice(2));
  return runKairn(["init", "--datadir", dataDir, join(dataDir, "genesis.json")]);
}

/** A running `kairn node` and its HTTP address. */
export interface PrivateNode extends KairnProcess {
  readonly url: string;
}

/** Starts `kairn node` on the folder, which seals a block each second. */
export async function startPrivateNode(dataDir: string, ...flags: string[]): Promise<PrivateNode> {
  const key = ["--nodekey", join(dataDir, "validator.key")];
  const started = startKairn(["node", "--datadir", dataDir, ...key, "--rpc", "--rpcport", "0", ...flags]);
  const line = await started.firstLine();
  const url = /http:\/\/[^ ,]+/.exec(line)?.[0];
  if (url === undefined) throw new Error(`no address in: ${line}`);
  return { ...started, url };
}
