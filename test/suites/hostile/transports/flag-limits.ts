import { answer, ask } from "../reads/rpc.ts";
import { type HostileRow, hold } from "../row.ts";
import { BLOCK_NUMBER, exchange, onNode, post, statusOf } from "./attacked-node.ts";

/** Init code that logs the number 42 under topic 0xaa and leaves an empty contract. */
const LOGGER = "0x602a60005260aa60206000a160006000f3";
const LIMITS = { items: 3, answer: 2000, body: 4096, range: 2, logs: 2 };
const FLAGS = [
  ["rpc.batch-request-limit", LIMITS.items],
  ["rpc.batch-response-max-size", LIMITS.answer],
  ["rpc.max-body", LIMITS.body],
  ["rpc.rangelimit", LIMITS.range],
  ["api.filter.getLogs.maxitems", LIMITS.logs],
] as const;
const GENESIS = '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["0x0",false]}';

const batchOf = (call: string, items: number) =>
  post(`[${Array(items).fill(call)}]`, "Connection: close\r\n");
const count = (text: string, part: string) => text.split(part).length - 1;

async function holdBatches(port: number): Promise<void> {
  const max = await exchange(port, batchOf(BLOCK_NUMBER, LIMITS.items));
  hold(count(max, '"result"') === LIMITS.items, `a batch of ${LIMITS.items}: ${max}`);
  const more = await exchange(port, batchOf(BLOCK_NUMBER, LIMITS.items + 1));
  hold(more.includes("batch too large") && !more.includes('"result"'), `a batch of one more: ${more}`);
  const long = await exchange(port, batchOf(GENESIS, LIMITS.items));
  const [answered, refused] = [count(long, '"result"'), count(long, "response too large")];
  hold(answered > 0 && refused > 0 && answered + refused === LIMITS.items, `long responses: ${long}`);
}

async function holdBodies(port: number): Promise<void> {
  for (const [bytes, status] of [
    [LIMITS.body, 200],
    [LIMITS.body + 1, 413],
  ] as const) {
    const got = await statusOf(port, post(BLOCK_NUMBER.padEnd(bytes), "Connection: close\r\n"));
    hold(got === status, `${bytes} bytes: ${got}`);
  }
}

/** Searches in blocks with a log each. */
async function holdSearches(port: number): Promise<void> {
  const [from] = (await ask(port, "eth_accounts")) as string[];
  for (let block = 0; block <= LIMITS.range; block++)
    await ask(port, "eth_sendTransaction", [{ from, input: LOGGER, gas: "0x186a0" }]);
  const search = (first: number, last: number) =>
    answer(port, "eth_getLogs", [{ fromBlock: `0x${first}`, toBlock: `0x${last}` }]);
  const found = await search(1, LIMITS.logs);
  hold((found.result as unknown[]).length === LIMITS.logs, `found ${JSON.stringify(found)}`);
  const many = (await search(1, LIMITS.logs + 1)).error?.message;
  hold(many === `query returned more than ${LIMITS.logs} results`, `one log more: ${many}`);
  const wide = (await search(0, LIMITS.range + 1)).error?.message;
  hold(wide === `exceed maximum block range: ${LIMITS.range}`, `one block more: ${wide}`);
}

/** Limits set by flags; the other rows attack the defaults. */
export const flagLimits: HostileRow = {
  id: "L16",
  promise: "limits of batches, bodies and searches follow the flags",
  run: () =>
    onNode(
      async ({ port }) => {
        await holdBatches(port);
        await holdBodies(port);
        await holdSearches(port);
        return `${FLAGS.length} of ${FLAGS.length} flags`;
      },
      ...FLAGS.flatMap(([flag, limit]) => [`--${flag}`, String(limit)]),
    ),
};
