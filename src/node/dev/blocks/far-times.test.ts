import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../create-node.ts";

const DIGITS = "9".repeat(400);
const CONTROLS = [
  "evm_increaseTime",
  "evm_setTime",
  "evm_setNextBlockTimestamp",
  "evm_setIntervalMining",
  "evm_mine",
  "anvil_setBlockTimestampInterval",
  "hardhat_setBlockTimestampInterval",
];

let node: Node;
beforeAll(async () => {
  node = await createNode();
});
afterAll(() => node.stop());

const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });

describe("time controls", () => {
  it.each(CONTROLS)("%s rejects numbers of 400 digits as invalid params", async (method) => {
    for (const number of [DIGITS, `-${DIGITS}`, `0x${"f".repeat(400)}`])
      await expect(call(method, number)).rejects.toMatchObject({ code: -32602 });
  });

  it.each(CONTROLS)("%s accepts or rejects any other number, and the clock keeps running", async (method) => {
    const far = ["-1", "0x7fffffff", `${2 ** 53}`, "8640000000000", "8640000000001", `0x${"f".repeat(64)}`];
    for (const number of [...far, `-0x${"f".repeat(64)}`]) {
      await call(method, number).catch((error: { code: number; message: string }) => {
        expect([-32602, -32000], `${number}: ${error.message}`).toContain(error.code);
      });
    }
    await call("evm_setIntervalMining", 0);
    await call("anvil_reset");
    await call("evm_mine");
    const { timestamp } = (await call("eth_getBlockByNumber", "latest", false)) as { timestamp: string };
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
  });

  it("keep block times within the range of JavaScript dates", async () => {
    await call("anvil_setBlockTimestampInterval", "8640000000000");
    for (let times = 0; times < 3; times++)
      await call("evm_mine").catch(({ code }: { code: number }) => expect(code).toBe(-32000));
    await call("anvil_reset");
    await call("evm_mine");
    expect(await call("eth_blockNumber")).toBe("0x1");
  });
});
