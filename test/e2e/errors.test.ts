import { Contract, isError, JsonRpcProvider } from "ethers";
import {
  type BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  encodeFunctionData,
  http,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rpcCall, rpcError, until } from "./json-rpc.ts";
import { type StartedNode, startNode } from "./started-node.ts";
import { token } from "./token.ts";

const stranger = "0x00000000000000000000000000000000000a11ce";
/** `InsufficientBalance(0, 7)` and `Error("allowance too low")` as the contract returns them. */
const insufficient = `0xcf479181${"0".repeat(64)}${"7".padStart(64, "0")}`;
const tooLow = /^0x08c379a0.*616c6c6f77616e636520746f6f206c6f77/;
let node: StartedNode;
let contract: `0x${string}`;

beforeAll(async () => {
  node = await startNode();
  const from = node.accounts[0]?.address;
  const hash = await rpcCall(node.endpoints.http, "eth_sendTransaction", {
    from,
    data: token.bytecode + "1".padStart(64, "0"),
    gas: "0x200000",
  });
  const receipt = () => rpcCall(node.endpoints.http, "eth_getTransactionReceipt", hash);
  contract = (await until(receipt, (found) => found !== null)).contractAddress;
});
afterAll(async () => {
  expect(await node.stop()).toBe(0);
});

function transfer(value: bigint) {
  return encodeFunctionData({ abi: token.abi, functionName: "transfer", args: [stranger, value] });
}

describe.each([
  ["eth_call", ["latest"]],
  ["eth_estimateGas", []],
  ["kaia_call", ["latest"]],
  ["kaia_estimateGas", []],
])("%s of a revert", (method, rest) => {
  it("returns code 3 with the custom error in the message and in data", async () => {
    const call = { from: stranger, to: contract, data: transfer(7n) };
    expect(await rpcError(node.endpoints.http, method, call, ...rest)).toEqual({
      code: 3,
      message: expect.stringMatching(/^execution reverted: custom error 0xcf479181: /),
      data: insufficient,
    });
  });

  it("returns code 3 with the reason in the message and in data", async () => {
    const data = encodeFunctionData({
      abi: token.abi,
      functionName: "transferFrom",
      args: [stranger, stranger, 1n],
    });
    const error = await rpcError(
      node.endpoints.http,
      method,
      { from: stranger, to: contract, data },
      ...rest,
    );
    expect(error).toMatchObject({ code: 3, message: "execution reverted: allowance too low" });
    expect(error.data).toMatch(tooLow);
  });
});

describe("clients decode custom errors", () => {
  it("viem", async () => {
    const client = createPublicClient({ transport: http(node.endpoints.http) });
    const simulation = client.simulateContract({
      address: contract,
      abi: token.abi,
      functionName: "transfer",
      args: [stranger, 7n],
      account: stranger,
    });
    const error = await simulation.catch((reason: BaseError) =>
      reason.walk((cause) => cause instanceof ContractFunctionRevertedError),
    );
    expect(error).toMatchObject({ data: { errorName: "InsufficientBalance", args: [0n, 7n] } });
  });

  it("ethers", async () => {
    const provider = new JsonRpcProvider(node.endpoints.http);
    const instance = new Contract(contract, token.abi, provider);
    for (const run of ["staticCall", "estimateGas"] as const) {
      const sent = instance.getFunction("transfer")[run](stranger, 7n, { from: stranger });
      const error = await sent.catch((reason) => reason);
      expect(isError(error, "CALL_EXCEPTION")).toBe(true);
      const { name, args } = instance.interface.parseError(error.data) ?? {};
      expect([name, ...(args ?? [])]).toEqual(["InsufficientBalance", 0n, 7n]);
    }
    provider.destroy();
  });
});
