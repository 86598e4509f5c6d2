import { describe, expect, it } from "vitest";
import { createNode } from "../../create-node.ts";
import { asker } from "../../testing/ask.ts";

describe("Klaytn's dialect", () => {
  it("calls contracts in the auction namespace, which Klaytn does not have", async () => {
    await using node = await createNode({ dev: true });
    const call = { to: "0x0000000000000000000000000000000000000004", data: "0x6b6169726e" };
    expect(await asker(node)("auction_call", call, "latest")).toBe("0x6b6169726e");
    await using klaytn = await createNode({ dev: true, compat: "klaytn" });
    await expect(asker(klaytn)("auction_call", call, "latest")).rejects.toMatchObject({ code: -32601 });
  });

  it("returns the total block score in Klaytn's dialect", async () => {
    await using klaytn = await createNode({ dev: true, compat: "klaytn" });
    await using kaia = await createNode({ dev: true, compat: "kaia" });
    const ask = asker(klaytn);
    await ask("evm_mine");
    const [first, second] = [
      await ask("eth_getBlockByNumber", "0x0", false),
      await ask("eth_getHeaderByNumber", "0x1"),
    ];
    const score = Number((first as { difficulty: string }).difficulty);
    expect(first).toHaveProperty("totalDifficulty", `0x${score.toString(16)}`);
    expect(second).toHaveProperty("totalDifficulty", `0x${(score + 1).toString(16)}`);
    expect(await ask("klay_getHeaderByNumber", "0x1")).not.toHaveProperty("totalDifficulty");
    expect(await asker(kaia)("eth_getBlockByNumber", "0x0", false)).not.toHaveProperty("totalDifficulty");
  });

  it("searches transactions in known blocks only, and signs with one prefix, as Klaytn does", async () => {
    await using klaytn = await createNode({ dev: true, compat: "klaytn" });
    await using kaia = await createNode({ dev: true, compat: "kaia" });
    const unknown = `0x${"ff".repeat(32)}`;
    const far = "the block does not exist (block number: 4294967295)";
    const strange = `the block does not exist (block hash: ${unknown})`;
    for (const [method, params, message] of [
      ["getBlockTransactionCountByNumber", ["0xffffffff"], far],
      ["getBlockTransactionCountByHash", [unknown], strange],
      ["getTransactionByBlockNumberAndIndex", ["0xffffffff", "0x0"], far],
      ["getTransactionByBlockHashAndIndex", [unknown, "0x0"], strange],
      ["getRawTransactionByBlockNumberAndIndex", ["0xffffffff", "0x0"], far],
      ["getRawTransactionByBlockHashAndIndex", [unknown, "0x0"], strange],
    ] as [string, unknown[], string][]) {
      const refusal = { code: -32000, message };
      await expect(asker(klaytn)(`klay_${method}`, ...params)).rejects.toMatchObject(refusal);
      const nothing = method.startsWith("getRaw") ? "0x" : null;
      expect(await asker(klaytn)(`eth_${method}`, ...params)).toBe(nothing);
      expect(await asker(kaia)(`kaia_${method}`, ...params)).toBe(nothing);
    }
    expect(await asker(klaytn)("klay_getTransactionByBlockNumberAndIndex", "0x0", "0x0")).toBeNull();
    for (const node of [klaytn, kaia]) {
      const [account] = (await asker(node)("eth_accounts")) as string[];
      const signature = await asker(node)("eth_sign", account, "0xdeadbeef");
      expect(await asker(node)("personal_ecRecover", "0xdeadbeef", signature)).toBe(account);
    }
  });
});
