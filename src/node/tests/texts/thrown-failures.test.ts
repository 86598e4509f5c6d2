import { afterAll, beforeAll, expect, it } from "vitest";
import { createNode, type Node } from "../../create-node.ts";

// What Hardhat's test libraries read of a send whose transaction failed in its block.

const contract = `0x${"77".repeat(20)}`;
const GAS = "0x186a0";
/** Reverts with 32 bytes, the last of which is 5. */
const REVERTS_WITH_FIVE = "0x600560005260206000fd";
const INVALID = "0xfe";

let node: Node;
let own: string;
const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
const send = () => call("eth_sendTransaction", { from: own, to: contract, gas: GAS });

beforeAll(async () => {
  node = await createNode({ dev: { throwOnTransactionFailures: true } });
  [own = ""] = (await call("eth_accounts")) as string[];
});
afterAll(() => node.stop());

it("throws a contract's revert, and the transaction stays in its block", async () => {
  await call("anvil_setCode", contract, REVERTS_WITH_FIVE);
  const data = `0x${"05".padStart(64, "0")}`;
  await expect(send()).rejects.toMatchObject({ code: 3, data });
  const { transactions } = (await call("eth_getBlockByNumber", "latest", false)) as {
    transactions: string[];
  };
  await expect(send()).rejects.toThrow(
    /^execution reverted: custom error 0x00000000: .* \(transaction 0x[0-9a-f]{64}\)$/,
  );
  expect(await call("eth_getTransactionReceipt", transactions[0])).toMatchObject({ status: "0x0" });
});

it("throws for raw transactions, with Solidity's revert reasons", async () => {
  const panic = `4e487b71${"12".padStart(64, "0")}`;
  await call("anvil_setCode", contract, `0x63${panic.slice(0, 8)}60e01b600052601260045260246000fd`);
  const fields = { from: own, to: contract, gas: GAS, gasPrice: "0xba43b7400" };
  const nonce = await call("eth_getTransactionCount", own, "latest");
  const { raw } = (await call("eth_signTransaction", { ...fields, nonce })) as { raw: string };
  await expect(call("eth_sendRawTransaction", raw)).rejects.toMatchObject({
    code: 3,
    message: expect.stringMatching(
      /^execution reverted: panic: division or modulo by zero \(0x12\) \(transaction 0x/,
    ),
    data: `0x${panic}`,
  });
});

it("throws other failures with empty data", async () => {
  await call("anvil_setCode", contract, INVALID);
  await expect(send()).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining("invalid opcode"),
    data: "0x",
  });
});

it("returns the hash of successful transactions, and of those not in a block yet", async () => {
  await call("anvil_setCode", contract, "0x00");
  expect(await send()).toMatch(/^0x[0-9a-f]{64}$/);
  await call("anvil_setCode", contract, INVALID);
  await call("evm_setAutomine", false);
  expect(await send()).toMatch(/^0x[0-9a-f]{64}$/);
});
