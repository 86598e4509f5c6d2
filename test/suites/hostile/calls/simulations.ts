import { type Answered, answer } from "../reads/rpc.ts";
import { type HostileRow, hold } from "../row.ts";
import { onNode } from "../transports/attacked-node.ts";

const CODE = "0x10000000000000000000000000000000000000aa";
const TOO_MANY = -38026;

/** Returns 100,000 bytes. */
const LARGE_OUTPUT = "0x620186a05ff3";
/** Emits empty logs until its gas is used up. */
const MANY_LOGS = "0x5b5f5fa0620f42405a115f57";
const LOOP = "0x5b5f56";

const calling = (code: string, calls: readonly object[]) => [{ stateOverrides: { [CODE]: { code } }, calls }];
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

/** Simulations that exceed limits, and their errors. */
const ATTACKS: readonly (readonly [name: string, blocks: readonly object[], code: number, text: RegExp])[] = [
  ["257 blocks", times(257, {}), TOO_MANY, /too many blocks/],
  ["a gap of 257", [{ blockOverrides: { number: "0x101" } }], TOO_MANY, /too many blocks/],
  ["as many blocks as a request has values", times(20_000, {}), TOO_MANY, /too many blocks/],
  ["as many calls", [{ calls: times(20_000, {}) }], TOO_MANY, /too many calls/],
  ["calls in many blocks", times(250, { calls: times(80, {}) }), TOO_MANY, /too many calls/],
  ["95 MB given back", calling(LARGE_OUTPUT, times(950, { to: CODE })), -32000, /more than 12000000 bytes/],
  ["130,000 logs", calling(MANY_LOGS, [{ to: CODE }]), -32000, /more than 12000000 bytes/],
  ["more gas than a call", calling(LOOP, times(3, { to: CODE })), -38013, /intrinsic gas too low/],
  [
    "a move of what is not a precompile",
    [{ stateOverrides: { [CODE]: { movePrecompileToAddress: CODE } } }],
    -32000,
    /is not a precompile/,
  ],
];

/** Limits of a simulation. */
export const simulationRows: readonly HostileRow[] = [
  {
    id: "L13",
    promise: "a simulation has the gas of a call, 256 blocks, 5,000 calls and 12 MB of results",
    run: () =>
      onNode(async ({ port }) => {
        const [head] = [(await answer(port, "eth_blockNumber")).result];
        for (const [name, blocks, code, text] of ATTACKS) {
          const { error, result } = await answer(port, "eth_simulateV1", [{ blockStateCalls: blocks }, head]);
          const ended = result === undefined ? error : "a result";
          hold(error?.code === code && text.test(error.message), `${name}: ${JSON.stringify(ended)}`);
        }
        const small: Answered = await answer(port, "eth_simulateV1", [
          { blockStateCalls: times(256, {}) },
          head,
        ]);
        hold((small.result as unknown[] | undefined)?.length === 256, JSON.stringify(small.error));
        return `${ATTACKS.length} of ${ATTACKS.length} refused, 256 blocks simulated`;
      }),
  },
];
