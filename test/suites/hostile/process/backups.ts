import { rmSync } from "node:fs";
import { join } from "node:path";
import { rpcCall } from "../../../e2e/json-rpc.ts";
import { runKairn } from "../../../e2e/kairn-process.ts";
import { type StartedNode, startNode, startNodeIn, temporaryFolder } from "../../../e2e/started-node.ts";
import { type HostileRow, hold } from "../row.ts";

const ROUNDS = 3;
const BLOCK_TIME = "50ms";
const TRANSFER_MS = 5;

/** Repeatedly backs up a node that seals blocks of transfers, and starts others on the copies. */
export const backups: HostileRow = {
  id: "R8",
  promise: "a backup of a running node, and of a stopped one, is a chain that another node can continue",
  async run() {
    const folder = temporaryFolder();
    const node = await startNode("--block-time", BLOCK_TIME);
    const end = transfers(node);
    try {
      const figures: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        await new Promise((resolve) => setTimeout(resolve, 1500));
        figures.push(await backUp(node, join(folder, `${round}`)));
      }
      await end();
      node.child.kill("SIGTERM");
      await node.exited;
      figures.push(await backUp(node, join(folder, "stopped")));
      const again = await runKairn(["backup", "--datadir", node.dataDir, join(folder, "0")]);
      hold(again.code === 1 && again.stderr.includes("is not empty"), `over a backup: ${again.stderr}`);
      return `${ROUNDS} of a running node, 1 of a stopped one (blocks ${figures.join(", ")})`;
    } finally {
      await end();
      await node.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** @returns the number of the copy's newest block */
async function backUp(node: StartedNode, copy: string): Promise<string> {
  const { code, stdout, stderr } = await runKairn(["backup", "--datadir", node.dataDir, copy]);
  hold(code === 0, `exit code ${code}: ${stderr}`);
  const [, checked, root] = /state of block (\d+): root (0x[0-9a-f]{64}) is right/.exec(stdout) ?? [];
  const other = await startNodeIn(copy, "--block-time", "1h");
  try {
    const block = await rpcCall(other.endpoints.http, "eth_getBlockByNumber", "latest", false);
    hold(Number(block.number) === Number(checked) && block.stateRoot === root, "started on another block");
    if (node.child.exitCode === null) {
      const same = await rpcCall(node.endpoints.http, "eth_getBlockByNumber", block.number, false);
      hold(same.hash === block.hash, `block ${checked} is another one`);
    }
    await rpcCall(other.endpoints.http, "evm_mine");
    const number = Number(await rpcCall(other.endpoints.http, "eth_blockNumber"));
    hold(number > Number(checked), "no block follows");
  } finally {
    other.child.kill("SIGKILL");
    await other.exited;
  }
  return checked as string;
}

/** Sends a transfer at a time. @returns what ends it */
function transfers({ accounts, endpoints }: StartedNode): () => Promise<void> {
  const tx = { from: accounts[0]?.address, to: accounts[1]?.address, value: "0x1", gas: "0x5208" };
  let isEnded = false;
  const run = async (): Promise<void> => {
    while (!isEnded) {
      await rpcCall(endpoints.http, "eth_sendTransaction", tx);
      await new Promise((resolve) => setTimeout(resolve, TRANSFER_MS));
    }
  };
  const running = run();
  return () => {
    isEnded = true;
    return running;
  };
}
