// `npm run test:sql`: the tables of blocks in a real PostgreSQL, and log searches in them. Skipped without one.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createNode, type Node } from "../../src/node/index.ts";
import { createSeededRandomness } from "../../src/platform/runtime/simulated.ts";
import type { ConfigJson } from "../../src/protocol/params/config-json.ts";
import { findPostgres, HOW_TO_INSTALL, Postgres } from "./servers/postgres.ts";

const TIMEOUT_MS = 240_000;
/** Smaller ranges are searched in the node's own index. */
const WIDE = 256;
/** Log a word of the input as data, with as many topics as their index: LOG0 to LOG4. */
const LOGGERS = [0, 1, 2, 3, 4].map((topics) => ({
  address: `0x${"a".repeat(38)}0${topics}`,
  code: `0x602060806000${"37"}${[96, 64, 32, 0]
    .slice(4 - topics)
    .map((at) => `60${at.toString(16).padStart(2, "0")}35`)
    .join("")}60206000a${topics}00`,
}));
const word = (n: number) => n.toString(16).padStart(64, "0");

const programs = findPostgres();
if (programs === undefined) {
  console.log(`skipped: the tables of blocks (${HOW_TO_INSTALL})`);
  process.exit(0);
}
let passed = 0;
let failed = 0;
const postgres = await Postgres.start(programs);
try {
  await scene(
    "logs from the tables equal those of the chain, while the database crashes and the chain is rewound",
    logs,
  );
  await scene("every transaction of a recorded chain is in the tables as in JSON-RPC", everyType);
  await scene("tables of another chain are not touched, and the chain continues", otherChain);
} finally {
  await postgres.remove();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function scene(name: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
    passed++;
    console.log(`ok    ${name}`);
  } catch (error) {
    failed++;
    console.error(`FAIL  ${name}`, error);
  }
}

async function logs(): Promise<void> {
  const url = await postgres.createDatabase("logs");
  const dataDir = mkdtempSync(join(tmpdir(), "kairn-sql-"));
  const options = { dev: true, dataDir, sql: { url }, logsFrom: "sql" } as const;
  let node = await createNode(options);
  const { bytes } = createSeededRandomness(7);
  const random = (below: number) => (bytes(1)[0] as number) % below;
  const call = <T>(method: string, ...params: unknown[]) =>
    node.provider.request({ method, params }) as Promise<T>;
  for (const { address, code } of LOGGERS) await call("anvil_setCode", address, code);
  const write = async (blocks: number) => {
    const [from] = await call<string[]>("eth_accounts");
    for (let i = 0; i < blocks; i++) {
      const { address: to } = LOGGERS[random(5)] as (typeof LOGGERS)[0];
      const data = `0x${[random(3), random(3), random(3), random(3), random(99)].map(word).join("")}`;
      await call("eth_sendTransaction", { from, to, data, gas: "0x30d40" });
    }
  };
  /** Random searches, each once over the whole range and once in parts that the node's own index answers. */
  const compare = async (times: number): Promise<number> => {
    const head = Number(node.chain.head.header.number);
    const before = await answered(node);
    for (let i = 0; i < times; i++) {
      const filter = {
        ...(random(2) && {
          address: Array.from({ length: 1 + random(2) }, () => LOGGERS[random(5)]?.address),
        }),
        topics: Array.from({ length: random(6) }, () =>
          random(2) ? null : Array.from({ length: 1 + random(2) }, () => `0x${word(random(3))}`),
        ),
      };
      const from = random(Math.max(1, head - WIDE + 1));
      const to = Math.min(head, from + WIDE - 1 + random(200));
      const hex = (n: number) => `0x${n.toString(16)}`;
      const search = (fromBlock: number, toBlock: number) =>
        call<unknown[]>("eth_getLogs", { ...filter, fromBlock: hex(fromBlock), toBlock: hex(toBlock) });
      const parts: unknown[] = [];
      for (let at = from; at <= to; at += 100) parts.push(...(await search(at, Math.min(to, at + 99))));
      assert.deepEqual(await search(from, to), parts);
    }
    return (await answered(node)) - before;
  };

  await write(300);
  await upToDate(node, "logs");
  assert.ok((await compare(150)) > 100, "the tables were not used");
  const snapshot = await call("evm_snapshot");
  await write(40);
  await upToDate(node, "logs");
  await call("evm_revert", snapshot);
  await compare(30); // whatever the tables hold now
  await upToDate(node, "logs");
  await write(20);
  await upToDate(node, "logs");
  assert.ok((await compare(50)) > 30);
  await checkCounts(node, "logs");

  await postgres.end("SIGKILL");
  await write(10); // without waiting for the database
  await compare(3);
  await postgres.launch();
  await upToDate(node, "logs");
  await answersAgain(() => compare(5));
  await node.stop();
  node = await createNode(options);
  await write(5);
  await upToDate(node, "logs");
  await checkCounts(node, "logs");
  await node.stop();
  rmSync(dataDir, { recursive: true });
}

/** After a failure, the database is not queried for some seconds. */
async function answersAgain(compare: () => Promise<number>): Promise<void> {
  for (let second = 0; second < 30; second++) {
    if ((await compare()) > 0) return;
    await pause(1_000);
  }
  assert.fail("the tables are not used after the database came back");
}

async function everyType(): Promise<void> {
  const folder = new URL("../fixtures/chains/all-types/", import.meta.url);
  const genesis = JSON.parse(readFileSync(new URL("genesis.json", folder), "utf8")) as ConfigJson;
  const url = await postgres.createDatabase("types");
  const options = { genesis, history: "archive", sql: { url } } as const;
  const [node, second] = [await createNode(options), await createNode(options)]; // two nodes fill the same tables
  for (const one of [node, second])
    await one.provider.request({
      method: "admin_importChain",
      params: [fileURLToPath(new URL("chain.rlp.gz", folder))],
    });
  await upToDate(node, "types");
  await upToDate(second, "types");
  await checkCounts(node, "types");
  const rows = await postgres.query<Record<string, unknown>>(
    `SELECT t.*, r.status, r.gas_used, r.fee, r.contract_address, r.log_count FROM transactions t
     JOIN receipts r ON r.block_number = t.block_number AND r.transaction_index = t.transaction_index`,
    "types",
  );
  assert.equal(rows.length, 734);
  const types = new Set<unknown>();
  for (const row of rows) {
    const hash = hex(row["hash"]);
    const tx = (await node.provider.request({
      method: "kaia_getTransactionByHash",
      params: [hash],
    })) as Rendered;
    const receipt = (await node.provider.request({
      method: "kaia_getTransactionReceipt",
      params: [hash],
    })) as Rendered;
    types.add(row["type"]);
    const shown = {
      type: row["type"],
      typeInt: row["type_code"],
      from: hex(row["sender"]),
      to: hex(row["recipient"]),
      nonce: amount(row["nonce"]),
      value: amount(row["value"]),
      feePayer: hex(row["fee_payer"]),
      feeRatio: row["fee_ratio"] === null ? null : amount(row["fee_ratio"]),
      senderTxHash: hex(row["sender_hash"]),
      transactionIndex: amount(row["transaction_index"]),
    };
    const wanted = {
      ...{
        type: tx["type"],
        typeInt: tx["typeInt"],
        from: tx["from"],
        to: tx["to"] ?? null,
        nonce: tx["nonce"],
      },
      ...{ value: tx["value"] ?? "0x0", feePayer: tx["feePayer"] ?? null, feeRatio: tx["feeRatio"] ?? null },
      ...{ senderTxHash: tx["senderTxHash"], transactionIndex: tx["transactionIndex"] },
    };
    assert.deepEqual(shown, wanted);
    const price = BigInt(receipt["effectiveGasPrice"] as string);
    assert.equal(amount(row["gas_used"]), receipt["gasUsed"]);
    assert.equal(BigInt(String(row["fee"])), price * BigInt(receipt["gasUsed"] as string));
    assert.equal(row["status"] === 1, receipt["status"] === "0x1");
    assert.equal(hex(row["contract_address"]), receipt["contractAddress"]);
    assert.equal(row["log_count"], (receipt["logs"] as unknown[]).length);
  }
  assert.equal(types.size, 26);
  const keys = await postgres.query<Record<string, unknown>>("SELECT * FROM accounts_keys_now", "types");
  assert.ok(keys.length > 5);
  for (const { account, key, kind } of keys) {
    if (kind === "roleBased") continue; // parts of it may be unchanged
    const params = [hex(account), "latest"];
    const now = await node.provider.request({ method: "kaia_getAccountKey", params });
    assert.deepEqual(JSON.parse(String(key)), now);
  }
  const kinds = await postgres.query<{ kind: string }>(
    "SELECT DISTINCT kind FROM token_transfers ORDER BY kind",
    "types",
  );
  assert.deepEqual(
    kinds.map(({ kind }) => kind),
    ["fungible", "unique"],
  );
  await Promise.all([node.stop(), second.stop()]);
}

async function otherChain(): Promise<void> {
  const node = await createNode({ dev: { chainId: 4242n }, sql: { url: postgres.url("types") } });
  const before = await heightOf("types");
  const [from] = (await node.provider.request({ method: "eth_accounts" })) as string[];
  await node.provider.request({ method: "eth_sendTransaction", params: [{ from, to: from }] });
  await pause(1_000);
  assert.equal(await heightOf("types"), before);
  assert.equal(node.chain.head.header.number, 1n);
  await node.stop();
}

type Rendered = Record<string, unknown>;

function hex(value: unknown): string | null {
  return value === null ? null : `0x${Buffer.from(value as Uint8Array).toString("hex")}`;
}

function amount(value: unknown): string {
  return `0x${BigInt(String(value)).toString(16)}`;
}

async function heightOf(database: string): Promise<number> {
  const [row] = await postgres
    .query<{ height: unknown }>("SELECT height FROM query_state", database)
    .catch(() => []);
  return Number(row?.height ?? -1);
}

/** Waits until the tables end at the head of a node. */
async function upToDate(node: Node, database: string): Promise<void> {
  for (const until = Date.now() + TIMEOUT_MS; ; await pause(50)) {
    const { number } = node.chain.head.header;
    const found = await postgres
      .query<{ height: unknown; hash: Uint8Array }>("SELECT height, hash FROM query_state", database)
      .catch(() => []);
    const [row] = found;
    if (
      row !== undefined &&
      BigInt(String(row.height)) === number &&
      hex(row.hash) === hex(node.chain.hash(number))
    )
      return;
    if (Date.now() > until) throw new Error(`the tables are at ${row?.height}, the chain at ${number}`);
  }
}

/** Checks the exact number of rows. */
async function checkCounts(node: Node, database: string): Promise<void> {
  const head = node.chain.head.header.number;
  let [transactions, logs] = [0, 0];
  for (let number = 0n; number <= head; number++) {
    transactions += node.chain.block(number)?.transactions.length ?? 0;
    logs += node.chain.logs(number).length;
  }
  const wanted = { blocks: Number(head) + 1, transactions, receipts: transactions, logs };
  for (const [table, count] of Object.entries(wanted)) {
    const [row] = await postgres.query<{ count: unknown }>(
      `SELECT count(*) AS count FROM ${table}`,
      database,
    );
    assert.equal(Number(row?.count), count, table);
  }
}

/** How many searches were answered by the tables. */
async function answered(node: Node): Promise<number> {
  const tree = (await node.provider.request({ method: "debug_metrics", params: [true] })) as {
    sql: { logs: { answered: { Overall: number } } };
  };
  return tree.sql.logs.answered.Overall;
}
