import { describe, expect, it } from "vitest";
import { createNode } from "../../create-node.ts";
import { asker, NO_ONE } from "../../testing/ask.ts";

const AUTHORIZATION = { chainId: "0x0", address: NO_ONE, nonce: "0x0", yParity: "0x0", r: "0x1", s: "0x1" };
describe("eth_createAccessList", () => {
  it("creates access lists of valid transactions, and reports why others are invalid", async () => {
    await using node = await createNode({ dev: true });
    const ask = asker(node);
    const [from] = (await ask("eth_accounts")) as string[];
    const list = (call: object) => ask("eth_createAccessList", { from, ...call });
    for (const [call, message] of [
      [{}, "contract creation without any data provided"],
      [
        { to: NO_ONE, data: "0x01", input: "0x02" },
        'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
      ],
      [{ to: NO_ONE, maxFeePerGas: "0x1" }, /^maxFeePerGas \(0x1\) < BaseFee \(\d+\)$/],
      [
        { to: NO_ONE, gas: "0x1" },
        /^failed to apply transaction: 0x[0-9a-f]{64} err: intrinsic gas too low$/,
      ],
      [{ to: NO_ONE, gasPrice: "0x1" }, /^failed to apply transaction: 0x\S+ err: max fee per gas less than/],
      [{ to: NO_ONE, gas: "0x61a7", authorizationList: [AUTHORIZATION] }, /^insufficient gas to process all/],
    ] as [object, string | RegExp][]) {
      const text = typeof message === "string" ? message : (expect.stringMatching(message) as string);
      await expect(list(call)).rejects.toMatchObject({ code: -32000, message: text });
    }
  });

  it("lists reserved addresses without a contract, and not the given accounts unless accessed", async () => {
    await using node = await createNode({ dev: true });
    const ask = asker(node);
    const [from] = (await ask("eth_accounts")) as string[];
    const padded = (hex: string) => `0x${hex.padStart(40, "0")}`;
    // Asks for the balances of 0x200, 0x09 and 0x3fe, of which the latter two are precompiled contracts.
    const input = "0x610200316009316103fe31";
    const accessList = [{ address: from, storageKeys: [] }];
    expect(await ask("eth_createAccessList", { from, input, accessList })).toMatchObject({
      accessList: [{ address: padded("200"), storageKeys: [] }],
    });
  });

  it("stops creating an access list at the computation cost limit of a transaction", async () => {
    await using node = await createNode({ dev: true });
    const forever = { input: "0x5b600056" };
    expect(await asker(node)("eth_createAccessList", forever)).toMatchObject({
      error: expect.stringContaining("computation cost limit") as string,
    });
  });
});
