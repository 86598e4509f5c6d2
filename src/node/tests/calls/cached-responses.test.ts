import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assemble } from "../../../ledger/evm/testing/assemble.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../../index.ts";

const LOGGER = "0x10000000000000000000000000000000000000aa";
/** Logs its own balance. */
const CODE = assemble("SELFBALANCE 0 MSTORE 32 0 LOG0 STOP");

type Request = readonly [method: string, ...params: unknown[]];
const hex = (value: number) => `0x${value.toString(16)}`;

const step: fc.Arbitrary<Request | "send" | "snapshot" | "revert" | "reorganise"> = fc.oneof(
  fc.nat(9).map((n) => ["hardhat_setBalance", LOGGER, hex(n)] as const),
  fc.nat(9).map((n) => ["hardhat_setNextBlockBaseFeePerGas", hex(30_000_000_000 + n * 1_000_000)] as const),
  fc.constant(["hardhat_mine", "0x2"] as const),
  fc.constantFrom("send", "snapshot", "revert", "reorganise"),
  fc.constant("send"),
);

describe("responses cached with the head", () => {
  let node: Node;
  let from: string;
  let asked = 0;
  beforeAll(async () => {
    node = await createNode({ dev: { timestamp: 1_700_000_000n } });
    [from = ""] = (await call("eth_accounts")) as string[];
    await call("hardhat_setCode", LOGGER, bytesToHex(CODE));
  });
  afterAll(() => node.stop());

  const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });

  /** Logs of the whole chain, and the same from a search that was never made before. */
  async function logs(): Promise<[kept: unknown, anew: unknown]> {
    const never = `0x${(++asked).toString(16).padStart(40, "f")}`;
    const range = { fromBlock: "0x0", toBlock: "latest" };
    return [
      await call("eth_getLogs", { ...range, address: LOGGER }),
      await call("eth_getLogs", { ...range, address: [LOGGER, never] }),
    ];
  }

  /** The fee history of ten blocks, and the same from a new request: one with a further percentile, which is then dropped. */
  async function fees(): Promise<[kept: Fees, anew: Fees]> {
    const history = (percentiles: number[]) => call("eth_feeHistory", 10, "latest", percentiles);
    const kept = (await history([25, 75])) as Fees;
    const anew = (await history([25, 75, 75 + ++asked / 1e6])) as Fees;
    return [kept, { ...anew, reward: anew.reward.map((tips) => tips.slice(0, 2)) }];
  }

  it("equal fresh reads after edits, blocks, reverts and reorganisations", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const snapshots: unknown[] = [];
        for (const next of steps) {
          if (next === "snapshot") snapshots.push(await call("evm_snapshot"));
          else if (next === "send") await call("eth_sendTransaction", { from, to: LOGGER, value: "0x1" });
          else if (next === "reorganise") await call("anvil_reorg", Math.min(2, Number(await head())));
          else if (next !== "revert") await call(...next);
          else if (snapshots.length > 0) await call("evm_revert", snapshots.pop());
          for (let times = 0; times < 2; times++) {
            const [keptLogs, newLogs] = await logs();
            expect(keptLogs).toEqual(newLogs);
            const [keptFees, newFees] = await fees();
            expect(keptFees).toEqual(newFees);
          }
          await checkBaseFee(next);
        }
      }),
      { numRuns: 8 },
    );
    expect(((await logs())[0] as unknown[]).length).toBeGreaterThan(0);
  });

  const head = () => call("eth_blockNumber");

  /** The base fee of the next block is the one set by hand, if any, else the one that follows from the head. */
  async function checkBaseFee(done: Request | string): Promise<void> {
    const [, { baseFeePerGas }] = await fees();
    const baseFee = await call("eth_baseFee");
    const [method, chosen] = Array.isArray(done) ? (done as [string, string]) : ["", ""];
    if (method === "hardhat_setNextBlockBaseFeePerGas") expect(baseFee).toBe(chosen);
    else if (method === "hardhat_mine" || done === "send") expect(baseFee).toBe(baseFeePerGas.at(-1));
  }
});

interface Fees {
  readonly baseFeePerGas: readonly string[];
  readonly reward: readonly string[][];
}
