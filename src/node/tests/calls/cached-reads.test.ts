import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assemble } from "../../../ledger/evm/testing/assemble.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../../index.ts";

const CONTRACT = "0x10000000000000000000000000000000000000aa";
const OTHER = "0x10000000000000000000000000000000000000bb";
/** Adds one to slot 0 when it is given value; returns slots 0 and 1, balance, size and hash of the code of OTHER. */
const CODE = assemble(`CALLVALUE ISZERO @look JUMPI 0 SLOAD 1 ADD 0 SSTORE look:
  0 SLOAD 0 MSTORE 1 SLOAD 32 MSTORE ${OTHER} BALANCE 64 MSTORE ${OTHER} EXTCODESIZE 96 MSTORE ${OTHER} EXTCODEHASH 128 MSTORE
  160 0 RETURN`);

type Request = readonly [method: string, ...params: unknown[]];
const hex = (value: number) => `0x${value.toString(16)}`;
const wordOf = (value: number) => `0x${value.toString(16).padStart(64, "0")}`;

const step: fc.Arbitrary<Request | "snapshot" | "revert" | "send"> = fc.oneof(
  fc.nat(9).map((n) => ["hardhat_setStorageAt", CONTRACT, "0x1", wordOf(n)] as const),
  fc.nat(9).map((n) => ["hardhat_setStorageAt", CONTRACT, "0x0", wordOf(n)] as const),
  fc.nat(9).map((n) => ["hardhat_setBalance", OTHER, hex(n)] as const),
  fc.nat(3).map((n) => ["hardhat_setCode", OTHER, n === 0 ? "0x" : `0x${"00".repeat(n)}`] as const),
  fc.constant(["hardhat_mine", "0x1"] as const),
  fc.constantFrom("snapshot", "revert", "send"),
);

describe("state reads cached by threads", () => {
  let nodes: readonly Node[];
  beforeAll(async () => {
    const options = { dev: { timestamp: 1_700_000_000n }, sealing: { kind: "manual" } } as const;
    nodes = [
      await createNode({ ...options, callSliceMs: 0 }),
      await createNode({ ...options, callSliceMs: 1000 }),
    ];
  });
  afterAll(() => Promise.all(nodes.map((node) => node.stop())));

  /** The responses of both. */
  async function both([method, ...params]: Request): Promise<unknown> {
    const answers = nodes.map((node) => node.provider.request({ method, params }));
    const [threaded, own] = await Promise.all(answers);
    expect(threaded, `${method} ${JSON.stringify(params)}`).toEqual(own);
    return own;
  }

  it("are never used after an edit, a revert or another block", async () => {
    await both(["hardhat_setCode", CONTRACT, bytesToHex(CODE)]);
    const [from] = (await both(["eth_accounts"])) as string[];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
        const snapshots: unknown[] = [];
        for (const next of steps) {
          if (next === "snapshot") snapshots.push(await both(["evm_snapshot"]));
          else if (next === "send")
            await both(["eth_sendTransaction", { from, to: CONTRACT, value: "0x1", gas: "0x30d40" }]);
          else if (next !== "revert") await both(next);
          else if (snapshots.length > 0) await both(["evm_revert", snapshots.pop()]);
          const head = Number(await both(["eth_blockNumber"]));
          const blocks = ["latest", "pending", "latest", hex(Math.max(0, head - 1)), hex(head)];
          for (const block of blocks) await both(["eth_call", { to: CONTRACT }, block]);
          await both(["eth_call", { to: CONTRACT }, "latest", { [OTHER]: { balance: "0x63" } }]);
          await both([
            "eth_call",
            { to: CONTRACT },
            "latest",
            { [CONTRACT]: { stateDiff: { [wordOf(1)]: wordOf(77) } } },
          ]);
        }
      }),
      { numRuns: 15 },
    );
  });
});
