import { hold } from "../row.ts";
import { onNode } from "../transports/attacked-node.ts";
import { answer, ask } from "./rpc.ts";

/** Pending transactions, and their batch size. */
const WAITING = 8000;
const BATCH = 500;
/** Minimum calls served while one list is made; none would be without interleaving. */
const MIN_CONCURRENT = 3;
const SLOTS = ["exec-slots.account", "exec-slots.all"].flatMap((name) => [
  ...[`--txpool.${name}`, String(2 * WAITING)],
]);

/** Lists a whole pool, and a block, during sequential calls. */
export function wholePool(): Promise<string> {
  return onNode(
    async ({ port }) => {
      await fillPool(port);
      const found: string[] = [];
      for (const method of ["txpool_content", "eth_pendingTransactions"]) {
        const beside = await answeredBeside(port, method);
        hold(beside >= MIN_CONCURRENT, `${beside} calls were served during ${method}`);
        found.push(`${beside} beside ${method}`);
      }
      return `${WAITING} transactions in the pool: calls answered ${found.join(", ")}`;
    },
    ...["--block-time", "1000s", ...SLOTS],
  );
}

async function fillPool(port: number): Promise<void> {
  const [from] = (await ask(port, "eth_accounts")) as [string];
  const transaction = { from, to: from, value: "0x1", gas: "0x5208" };
  for (let sent = 0; sent < WAITING; sent += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, id) => ({
      ...{ jsonrpc: "2.0", id, method: "eth_sendTransaction", params: [transaction] },
    }));
    const headers = { "content-type": "application/json" };
    await fetch(`http://127.0.0.1:${port}`, { method: "POST", headers, body: JSON.stringify(batch) }).then(
      (response) => response.text(),
    );
  }
  const status = (await ask(port, "txpool_status")) as { pending: string };
  hold(Number(status.pending) === WAITING, `${Number(status.pending)} transactions pending`);
}

/** @returns how many sequential calls were served between a request and its response */
async function answeredBeside(port: number, method: string): Promise<number> {
  let isOver = false;
  const list = answer(port, method).then(({ error }) => {
    isOver = true;
    hold(error === undefined, `${method}: ${error?.message}`);
  });
  let count = -1; // the first one may have been served before the list was started
  while (!isOver) {
    await ask(port, "eth_blockNumber");
    count++;
  }
  await list;
  return count;
}
