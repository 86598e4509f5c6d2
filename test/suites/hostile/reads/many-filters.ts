import { heldTimes } from "../calls/held.ts";
import { hold } from "../row.ts";
import { type AttackedNode, onNode, pause } from "../transports/attacked-node.ts";
import { answer, ask, begin } from "./rpc.ts";

const FILTERS = 1000;
const BATCH = 500;
/** Gas of a transaction that only writes logs, about 60,000. */
const GAS = "0x1c9c380";
const WRITER = "0x1000000000000000000000000000000000000012";
/** Code that loops while more than 2,000 gas are left: JUMPDEST, LOG0, GAS > 2000 ? again : STOP. */
const WRITES = "0x5b60006000a06107d05a116000575b00";
/**
 * CPU time in milliseconds for which such a block, or reading its receipts, may hold the main thread at most. Made and rendered in one
 * piece, they held it for 440 and 300.
 */
const MAX_HELD = 200;
/** What filters may add to the CPU time of the main thread during which a small call gets no response, in milliseconds. */
const MAX_MORE = 100;

/** Thousands of filters that match none of tens of thousands of logs: every log is compared with every filter. */
export function manyFilters(): Promise<string> {
  return onNode(async (node) => {
    const { port } = node;
    await ask(port, "anvil_setCode", [WRITER, WRITES]);
    const without = await heldByLogs(node, await openFilters(port, 1));
    const beside = await heldByLogs(node, await openFilters(port, FILTERS));
    const figures =
      `${beside.logs} logs compared with ${FILTERS} filters held the main thread for ${beside.most} ms of its time at ` +
      `most, with one filter for ${without.most}; reading their receipts for ${without.readMost} and ${beside.readMost}`;
    hold(beside.most < without.most + MAX_MORE, figures);
    hold(Math.max(without.most, without.readMost, beside.readMost) < MAX_HELD, figures);
    return figures;
  });
}

/** Mines a transaction that only writes logs, waits until the last filter has seen them, and reads its receipt. */
async function heldByLogs(
  node: AttackedNode,
  filters: readonly string[],
): Promise<{ readonly logs: number; readonly most: number; readonly readMost: number }> {
  const { port } = node;
  const [from] = (await ask(port, "eth_accounts")) as [string];
  const written = async (): Promise<void> => {
    await ask(port, "eth_sendTransaction", [{ from, to: WRITER, gas: GAS }]);
    while ((await answer(port, "eth_getFilterChanges", [filters.at(-1)])).result === undefined)
      await pause(50);
  };
  const most = Math.max(...(await heldTimes(node, written())));
  const readMost = Math.max(...(await heldTimes(node, begin(port, "eth_getBlockReceipts", ["latest"]))));
  const receipts = (await ask(port, "eth_getBlockReceipts", ["latest"])) as { logs: unknown[] }[];
  const logs = receipts.reduce((sum, receipt) => sum + receipt.logs.length, 0);
  hold(logs > 10_000, `${logs} logs`);
  return { logs, most, readMost };
}

/** @returns their ids */
async function openFilters(port: number, count: number): Promise<string[]> {
  const ids: string[] = [];
  const params = [{ address: WRITER, topics: [null, `0x${"77".repeat(32)}`] }];
  while (ids.length < count) {
    const calls = Array.from({ length: Math.min(BATCH, count) }, (_, id) => ({
      jsonrpc: "2.0",
      id,
      method: "eth_newFilter",
      params,
    }));
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(calls),
    });
    ids.push(...((await response.json()) as { result: string }[]).map(({ result }) => result));
  }
  return ids;
}
