import { type HostileRow, hold } from "../row.ts";
import { KilledNode } from "./killed-node.ts";

const COUNT = 6;

type TakeBack = (killed: KilledNode, hashes: readonly string[]) => Promise<unknown>;

/** Ways to remove transactions: pending ones, and mined ones. */
const WAITING: Readonly<Record<string, TakeBack>> = {
  anvil_dropTransaction: async (killed, hashes) => {
    for (const hash of hashes) await killed.call("anvil_dropTransaction", hash);
  },
  anvil_dropAllTransactions: (killed) => killed.call("anvil_dropAllTransactions"),
  anvil_removePoolTransactions: (killed) =>
    killed.call("anvil_removePoolTransactions", killed.node.accounts[0]?.address),
  hardhat_dropTransaction: async (killed, hashes) => {
    for (const hash of hashes) await killed.call("hardhat_dropTransaction", hash);
  },
  anvil_reset: (killed) => killed.call("anvil_reset"),
};
const INCLUDED: Readonly<Record<string, TakeBack>> = {
  evm_revert: (killed) => killed.call("evm_revert", "0x1"),
  anvil_rollback: (killed) => killed.call("anvil_rollback", 1),
  debug_setHead: async (killed) => {
    const head = Number(await killed.call("eth_blockNumber"));
    await killed.call("debug_setHead", `0x${(head - 1).toString(16)}`);
  },
  hardhat_reset: (killed) => killed.call("hardhat_reset"),
};

/** Removed transactions do not reappear after a kill or a clean stop. */
export const removedTransactions: HostileRow = {
  id: "P14",
  promise: "transactions that were dropped, reverted, rolled back or reset do not reappear after a restart",
  async run() {
    const killed = new KilledNode("--no-mining");
    let ways = 0;
    try {
      await killed.start();
      for (const signal of ["SIGKILL", "SIGINT"] as const) {
        for (const [name, takeBack] of Object.entries(WAITING)) {
          await attack(killed, { name, takeBack, signal, isIncluded: false });
          ways++;
        }
        for (const [name, takeBack] of Object.entries(INCLUDED)) {
          await attack(killed, { name, takeBack, signal, isIncluded: true });
          ways++;
        }
      }
    } finally {
      await killed.end();
    }
    return `${ways * COUNT} transactions taken back in ${ways} ways, 0 came again`;
  },
};

async function attack(
  killed: KilledNode,
  how: { name: string; takeBack: TakeBack; signal: "SIGKILL" | "SIGINT"; isIncluded: boolean },
): Promise<void> {
  await killed.call("evm_snapshot");
  const hashes: string[] = [];
  for (const raw of await killed.transfers(COUNT))
    hashes.push(await killed.call("eth_sendRawTransaction", raw));
  if (how.isIncluded) await killed.call("evm_mine");
  await how.takeBack(killed, hashes);
  await killed.restart(how.signal);
  await killed.call("evm_mine");
  const back = await killed.known(hashes);
  hold(back.length === 0, `${back.length} of ${COUNT} reappeared after ${how.name} and ${how.signal}`);
}
