import { expect, it } from "vitest";
import { createNode } from "../../src/node/index.ts";
import { token } from "./token.ts";

const word = (value: string | number) => BigInt(value).toString(16).padStart(64, "0");
const STRANGER = "0x00000000000000000000000000000000000a11ce";

it("sets token balances and allowances without a transaction, unless no slot holds them", async () => {
  await using node = await createNode();
  const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
  const [from, spender] = (await call("eth_accounts")) as [string, string];
  const hash = await call("eth_sendTransaction", {
    from,
    data: `${token.bytecode}${word(5)}`,
    gas: "0x4c4b40",
  });
  const { contractAddress: to } = (await call("eth_getTransactionReceipt", hash)) as {
    contractAddress: string;
  };
  const before = await call("eth_blockNumber");
  const balance = () => call("eth_call", { to, data: `0x70a08231${word(STRANGER)}` }, "latest");
  expect(await call("anvil_dealERC20", STRANGER, to, "0x3e8")).toBeNull();
  expect(await balance()).toBe(`0x${word(1000)}`);
  await call("anvil_dealERC20", STRANGER, to, 7);
  expect(await balance()).toBe(`0x${word(7)}`);
  expect(await call("anvil_setERC20Allowance", STRANGER, spender, to, "0x2a")).toBeNull();
  const allowance = { to, data: `0xdd62ed3e${word(STRANGER)}${word(spender)}` };
  expect(await call("eth_call", allowance, "latest")).toBe(`0x${word(42)}`);
  expect(await call("eth_blockNumber")).toBe(before);
  await expect(call("anvil_dealERC20", STRANGER, STRANGER, "0x1")).rejects.toThrow(
    /does not keep this amount in a storage slot/,
  );
  await expect(call("anvil_dealERC20", STRANGER, to, `0x1${"0".repeat(64)}`)).rejects.toThrow(/256 bits/);
  await expect(call("anvil_setChainId", 5)).rejects.toThrow(/--chain-id/);
});
