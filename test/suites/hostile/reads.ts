import { bigintToFixedBytes, concat } from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../src/protocol/primitives/hex.ts";
import { ACCOUNTS, addressOf, fillChain } from "./reads/heavy-chain.ts";
import { manyFilters } from "./reads/many-filters.ts";
import { answer, ask, begin, type Times, timesWhile } from "./reads/rpc.ts";
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
const TOLERANCE = 250;
/** Slices of the node that a small call may wait for, and milliseconds for a busy machine. */
const SLICES = 2;
const GRACE_MS = 5;
/** Concurrent reads. */
const READERS = 16;

/** Section "Heavy calls" of `docs/security.md`: precompiles, and reads without a small bound. */
export const reads: readonly HostileRow[] = [
  {
    id: "L5p",
    promise: "a call of a precompile stops at its deadline",
    run: () =>
      onNode(
        async ({ port }) => {
          await ask(port, "eth_blockNumber");
          const late: string[] = [];
          for (const [name, number, input] of HEAVY) {
            const to = `0x${number.toString(16).padStart(40, "0")}`;
            const call = { to, data: bytesToHex(input), gas: "0x1dcd6500" };
            const tries = [];
            for (let i = 0; i < 3; i++) tries.push(await answer(port, "eth_call", [call, "latest"]));
            const { ms, error } = tries.reduce((best, each) => (each.ms < best.ms ? each : best));
            hold(error !== undefined && /time|abort/.test(error.message), `${name}: ${error?.message}`);
            hold(ms < TIMEOUT + TOLERANCE, `${name} took ${Math.round(ms)} ms`);
            late.push(`${name} after ${Math.round(ms)} ms`);
          }
          return `deadline ${TIMEOUT} ms: ${late.join(", ")}`;
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
      onNode(async ({ port }) => {
        const block = await fillChain(port);
        const old = `0x${block.toString(16)}`;
        const idle = await timesWhile(port, new Promise((resolve) => setTimeout(resolve, 1000)));
        const storm = Array.from({ length: READERS }, async (_, i) => {
          const dump: [string, unknown[]] = ["debug_dumpBlock", ["latest"]];
          const calls: [string, unknown[]][] = [
            ...[dump, dump, dump, dump],
            ["eth_getProof", [addressOf(i), [], old]],
            ["debug_getModifiedAccountsByNumber", [block, block + 5]],
            ["eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]],
          ];
          const [method, params] = calls[i % calls.length] as [string, unknown[]];
          const start = await begin(port, method, params);
          hold(start.includes('"result":'), `${method}: ${start}`);
        });
        const beside = await timesWhile(port, Promise.all(storm));
        const many = Array.from({ length: 1001 }, (_, i) => addressOf(i));
        const tooMany = await answer(port, "eth_getLogs", [{ address: many }]);
        hold(tooMany.error !== undefined, "1,001 addresses were searched");
        // The 99th percentile does not stay within two slices yet: it is reported, see docs/security.md.
        const max = idle.asked.median + SLICES * beside.spun.median + GRACE_MS;
        const ms = beside.asked.median;
        hold(ms <= max, `eth_blockNumber took ${ms} ms (median), ${max.toFixed(1)} at most`);
        const shown = ({ median, p99 }: Times) => `${median} and ${p99} ms`;
        return `eth_blockNumber ${shown(beside.asked)} (median and p99) beside ${READERS} readings of ${ACCOUNTS} accounts; idle ${shown(idle.asked)}; 5 ms of processor time took ${shown(beside.spun)}`;
      }),
  },
];
