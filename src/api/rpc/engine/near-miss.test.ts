import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../../node/create-node.ts";

let node: Node;
beforeAll(async () => {
  node = await createNode({ http: { port: 0, modules: ["eth", "net"] } });
});
afterAll(() => node.stop());

async function hintOver(method: string, params: unknown[] = []): Promise<unknown> {
  const response = await fetch(node.endpoints.http as string, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { error } = (await response.json()) as { error: { data?: { hint: string } } };
  expect(error).toMatchObject({
    code: -32601,
    message: `the method ${method} does not exist/is not available`,
  });
  return error.data?.hint;
}

async function hintInProcess(method: string, params: unknown[] = []): Promise<unknown> {
  return node.provider.request({ method, params }).catch((error) => error.data?.hint);
}

describe("an unknown method", () => {
  it.each([
    ["eth_getBalence", "eth_getBalance"],
    ["eth_getblockbynumber", "eth_getBlockByNumber"],
    ["eth_getTransactionRecipt", "eth_getTransactionReceipt"],
    ["eth_estimateGsa", "eth_estimateGas"],
    ["et_chainId", "eth_chainId"],
    ["evm_increaseTme", "evm_increaseTime"],
    ["eth_getAccountKey", "kaia_getAccountKey"],
  ])("%s: suggests %s", async (method, meant) => {
    expect(await hintInProcess(method)).toContain(`Did you mean ${meant}?`);
  });

  it("keeps the reference's text, and says which modules are served when its own is not", async () => {
    expect(await hintOver("personal_listAccounts")).toBe(
      "The module personal is not served here; served are eth, net, rpc.",
    );
    expect(await hintOver("debug_getBalance")).toMatch(/module debug .* Did you mean eth_getBalance\?/);
  });

  it.each(["", "_", "x", "eth", "eth_", "nothing_like_it_at_all", `eth_${"a".repeat(1e5)}`])(
    "gets no suggestion when nothing is close: %.30s",
    async (method) => {
      expect((await hintInProcess(method)) ?? "").not.toContain("Did you mean");
    },
  );

  it("may be a subscription", async () => {
    expect(await hintInProcess("eth_subscribe", ["newHead"])).toBe("Did you mean newHeads?");
    expect(await hintInProcess("eth_subscribe", ["weather"])).toBeUndefined();
    expect(await hintInProcess("net_subscribe", ["newHeads"])).toBe(
      "Did you mean eth_subscribe with newHeads?",
    );
  });
});
