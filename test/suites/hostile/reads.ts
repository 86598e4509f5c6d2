import { bigintToFixedBytes, concat } from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../src/protocol/primitives/hex.ts";
import { heldTimes } from "./calls/held.ts";
import { cpuMs, TIMEOUT as TIMED_OUT } from "./calls/storm.ts";
import { ACCOUNTS, addressOf, fillChain } from "./reads/heavy-chain.ts";
import { manyFilters } from "./reads/many-filters.ts";
import { answer, begin, partOf } from "./reads/rpc.ts";
import { smallReader } from "./reads/small-reader.ts";
import { wholePool } from "./reads/whole-pool.ts";
import { type HostileRow, hold } from "./row.ts";
import { onNode } from "./transports/attacked-node.ts";

const word = (value: bigint) => bigintToFixedBytes(value, 32);
/** A pair of generators of BN254. */
const PAIR = concat(
  ...[
    1n,
    2n,
    0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2n,
    0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6edn,
    0x090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975bn,
    0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daan,
  ].map(word),
);
const ROUNDS = Uint8Array.from({ length: 213 }, (_, i) => [0x1d, 0x34, 0xce, 0x80][i] ?? 0);

/** Inputs that take seconds, by the address of the precompile: too expensive in a transaction, but free in a call. */
const HEAVY: readonly (readonly [name: string, number: number, input: Uint8Array])[] = [
  ["pairing of 4,096", 8, concat(...Array.from({ length: 4096 }, () => PAIR))],
  ["BLAKE2 of 490 M rounds", 9, ROUNDS],
];
/** Milliseconds. */
const TIMEOUT = 1000;
/** Maximum CPU time of such a call in milliseconds, since other processes delay it; run to the end, each takes five seconds. */
const MAX_CPU = 2 * TIMEOUT;
/** Maximum CPU time of the main thread in milliseconds during which a small call gets no response. */
const MAX_HELD = { median: 10, p99: 40 };
/** Method and parameters. */
type Reading = readonly [method: string, params: readonly unknown[]];

/** Concurrent reads. */
const READERS = 16;

/** Section "Heavy calls" of `docs/security.md`: precompiles, and reads without a small bound. */
export const reads: readonly HostileRow[] = [
  {
    id: "L5p",
    promise: "a call of a precompile stops at its deadline",
    run: () =>
      onNode(
        async (node) => {
          const spent: string[] = [];
          for (const [name, number, input] of HEAVY) {
            const to = `0x${number.toString(16).padStart(40, "0")}`;
            const call = { to, data: bytesToHex(input), gas: "0x1dcd6500" };
            const before = cpuMs(node);
            const { error } = await answer(node.port, "eth_call", [call, "latest"]);
            const ms = cpuMs(node) - before;
            hold(error !== undefined && TIMED_OUT.test(error.message), `${name}: ${error?.message}`);
            hold(ms < MAX_CPU, `${name} took ${ms} ms of CPU`);
            spent.push(`${name} ${ms} ms`);
          }
          return `deadline ${TIMEOUT} ms, CPU time: ${spent.join(", ")}`;
        },
        ...["--rpc.evmtimeout", `${TIMEOUT}ms`, "--rpc.gascap", "0"],
      ),
  },
  {
    id: "L7w",
    promise: "listing a whole pool is interleaved with other calls",
    run: wholePool,
  },
  {
    id: "L7f",
    promise: "small reads are served although large reads occupy all slots",
    run: smallReader,
  },
  {
    id: "L7n",
    promise: "matching a new block's logs with thousands of filters is interleaved with other calls",
    run: manyFilters,
  },
  {
    id: "L7",
    promise: "dumps, old proofs, state diffs and log searches yield to other calls, and are limited",
    run: () =>
      onNode(async (node) => {
        const { port } = node;
        const block = await fillChain(port);
        const old = `0x${block.toString(16)}`;
        const dump: Reading = ["debug_dumpBlock", ["latest"]];
        const read = async (i: number): Promise<void> => {
          const kinds: readonly Reading[] = [
            ["eth_getProof", [addressOf(i), [], old]],
            ["debug_getModifiedAccountsByNumber", [block, block + 5]],
            ["eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]],
            ...[dump, dump, dump, dump],
          ];
          const [method, params] = kinds[i % kinds.length] as Reading;
          const start = await begin(port, method, params);
          hold(start.includes('"result":'), `${method}: ${start}`);
        };
        // The first ones run code that V8 has not compiled yet.
        for (const first of [0, 1, 2, 3]) await read(first);
        const storm = Array.from({ length: READERS }, (_, i) => read(i));
        const held = await heldTimes(node, Promise.all(storm));
        const many = Array.from({ length: 1001 }, (_, i) => addressOf(i));
        const tooMany = await answer(port, "eth_getLogs", [{ address: many }]);
        hold(tooMany.error !== undefined, "1,001 addresses were searched");
        const [median, p99] = [partOf(held, 0.5), partOf(held, 0.99)];
        const figures = `the main thread was held for ${median} and ${p99} ms of its time (median and p99)`;
        hold(median < MAX_HELD.median && p99 < MAX_HELD.p99, figures);
        return `${held.length} calls of eth_blockNumber beside ${READERS} readings of ${ACCOUNTS} accounts: ${figures}`;
      }),
  },
];
