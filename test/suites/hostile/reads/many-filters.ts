import { hold } from "../row.ts";
import { onNode, pause } from "../transports/attacked-node.ts";
import { answer, ask, timesWhile } from "./rpc.ts";

const FILTERS = 1000;
const BATCH = 500;
/** Gas of a transaction that only writes logs, about 60,000. */
const GAS = "0x1c9c380";
const WRITER = "0x1000000000000000000000000000000000000012";
/** Code that loops while more than 2,000 gas are left: JUMPDEST, LOG0, GAS > 2000 ? again : STOP. */
const WRITES = "0x5b60006000a06107d05a116000575b00";
const SLICES = 4;
const GRACE_MS = 50;

/** Thousands of filters that match none of tens of thousands of logs: every log is compared with every filter. */
export function manyFilters(): Promise<string> {
  return onNode(async ({ port }) => {
    const [from] = (await ask(port, "eth_accounts")) as [string];
    await ask(port, "anvil_setCode", [WRITER, WRITES]);
    const idle = await timesWhile(port, pause(1000));
    const ids = await openFilters(port);
    const sent = answer(port, "eth_sendTransaction", [{ from, to: WRITER, gas: GAS }]);
    const beside = await timesWhile(
      port,
      sent.then(async ({ error }) => {
        hold(error === undefined, `${error?.message}`);
        while ((await answer(port, "eth_getFilterChanges", [ids[0]])).result === undefined) await pause(50);
      }),
    );
    const receipts = (await ask(port, "eth_getBlockReceipts", ["latest"])) as { logs: unknown[] }[];
    const logs = receipts.reduce((sum, receipt) => sum + receipt.logs.length, 0);
    hold(logs > 10_000, `${logs} logs`);
    const max = idle.asked.median + SLICES * beside.spun.p99 + GRACE_MS;
    hold(
      beside.asked.p99 <= max,
      `eth_blockNumber took ${beside.asked.p99} ms (p99), ${max.toFixed(1)} at most`,
    );
    return `eth_blockNumber ${beside.asked.median} and ${beside.asked.p99} ms (median and p99) while ${logs} logs were compared with ${FILTERS} filters; idle ${idle.asked.median}; 5 ms of processor time took ${beside.spun.median} and ${beside.spun.p99}`;
  });
}

/** @returns their ids */
async function openFilters(port: number): Promise<string[]> {
  const ids: string[] = [];
  const params = [{ address: WRITER, topics: [null, `0x${"77".repeat(32)}`] }];
  while (ids.length < FILTERS) {
    const calls = Array.from({ length: BATCH }, (_, id) => ({
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
