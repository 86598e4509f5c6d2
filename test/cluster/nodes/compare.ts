import assert from "node:assert/strict";
import type { Postgres } from "../servers/postgres.ts";
import type { ClusterNode } from "./nodes.ts";

interface BlockResponse {
  readonly hash: string;
  readonly parentHash: string;
  readonly stateRoot: string;
  readonly transactions: readonly { readonly hash: string; readonly from: string; readonly nonce: string }[];
}

/**
 * Compares the chains of nodes block by block with each other and with the log: no gap, no block twice, no transaction twice, every
 * acknowledged one in its block, equal roots, and equal senders, by which each transaction is found.
 * @returns the number of blocks and transactions compared
 */
export async function compareChains(
  nodes: readonly Pick<ClusterNode, "height" | "call">[],
  acknowledged: ReadonlyMap<string, string>,
  postgres: Postgres,
  database: string,
): Promise<{ readonly blocks: number; readonly transactions: number }> {
  const heights = await Promise.all(nodes.map((node) => node.height()));
  const height = Math.min(...heights.map(Number));
  const logged = await postgres.query<{ height: string; hash: Uint8Array }>(
    `SELECT height, hash FROM changes_0 ORDER BY height`,
    database,
  );
  const seen = new Set<string>();
  let parent: string | undefined;
  for (let number = 0; number <= height; number++) {
    const tag = `0x${number.toString(16)}`;
    const blocks = await Promise.all(
      nodes.map((node) => node.call<BlockResponse>("eth_getBlockByNumber", tag, true)),
    );
    const [first, ...others] = blocks as [BlockResponse, ...BlockResponse[]];
    for (const other of others) {
      assert.equal(other.hash, first.hash, `block ${number}`);
      assert.equal(other.stateRoot, first.stateRoot, `root of block ${number}`);
      assert.deepEqual(other.transactions, first.transactions, `transactions of block ${number}`);
    }
    if (parent !== undefined) assert.equal(first.parentHash, parent, `parent of block ${number}`);
    parent = first.hash;
    for (const { hash, from, nonce } of first.transactions) {
      assert.ok(!seen.has(hash), `transaction ${hash} occurs twice`);
      seen.add(hash);
      const found = await Promise.all(
        nodes.map((node) => node.call<{ hash: string }>("kaia_getTransactionBySenderAndNonce", from, nonce)),
      );
      for (const one of found) assert.equal(one?.hash, hash, `transaction ${nonce} of ${from}`);
    }
    if (number > 0) {
      assert.equal(Number(logged[number - 1]?.height), number, `record of block ${number}`);
      assert.equal(`0x${Buffer.from(logged[number - 1]?.hash ?? []).toString("hex")}`, first.hash);
    }
  }
  const lost = [...acknowledged.keys()].filter((hash) => !seen.has(hash));
  assert.deepEqual(lost, [], "acknowledged transactions that are lost");
  return { blocks: height, transactions: seen.size };
}
