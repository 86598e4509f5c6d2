import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../../create-node.ts";

const REVERTER = `0x${"77".repeat(20)}`;
const PAID = `0x${"11".repeat(20)}`;
const POOR = `0x${"88".repeat(20)}`;
const NO_ONE = `0x${"99".repeat(20)}`;
const word = (value: number) => value.toString(16).padStart(64, "0");
const text = (value: string) =>
  word(32) + word(value.length) + bytesToHex(new TextEncoder().encode(value)).slice(2).padEnd(64, "0");

let node: Node;
let own: string;
const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });

beforeAll(async () => {
  node = await createNode();
  [own = ""] = (await call("eth_accounts")) as string[];
  await call("anvil_setBalance", POOR, "0x10");
});
afterAll(() => node.stop());

/** Gives an account code that reverts with these bytes: PUSH2 length, PUSH2 offset, PUSH0, CODECOPY, PUSH2 length, PUSH0, REVERT. */
async function revertWith(output: string): Promise<void> {
  const length = (output.length / 2).toString(16).padStart(4, "0");
  await call("anvil_setCode", REVERTER, `0x61${length}61000d5f3961${length}5ffd${output}`);
}

/** Responses of anvil 1.7.1. */
const REVERTS: readonly [name: string, output: string, told: string][] = [
  ["a reason", `08c379a0${text("boom")}`, "boom"],
  ["a failed assertion", `4e487b71${word(1)}`, "panic: assertion failed (0x01)"],
  ["an overflow", `4e487b71${word(0x11)}`, "panic: arithmetic underflow or overflow (0x11)"],
  ["a panic that no compiler makes", `4e487b71${word(2)}`, "panic: unknown code (0x2)"],
  ["an error without arguments", "f9006398", "custom error 0xf9006398"],
  ["arguments that are no text", `f9006398${word(0xff)}`, `custom error 0xf9006398: ${word(0xff)}`],
  ["arguments that are a text", "f9006398616263", "custom error 0xf9006398: abc"],
  ["a reason that is none", `08c379a0${word(999)}`, ""],
  ["less than a selector", "ff", "custom error bytes 0xff"],
];

describe("a development chain reports a failed call to tools", () => {
  it.each(REVERTS)("that was reverted with %s", async (_, output, told) => {
    await revertWith(output);
    const message = told === "" ? "execution reverted" : `execution reverted: ${told}`;
    const reverted = { code: 3, message, data: `0x${output}` };
    const tx = { from: own, to: REVERTER };
    await expect(call("eth_call", tx)).rejects.toMatchObject(reverted);
    await expect(call("eth_estimateGas", tx)).rejects.toMatchObject(reverted);
    await expect(call("eth_sendTransaction", tx)).rejects.toMatchObject(reverted);
  });

  it("with a truncated message for a long error, and the full data", async () => {
    const output = `f9006398${"41".repeat(1025)}`;
    await revertWith(output);
    const message = `execution reverted: custom error 0xf9006398: ${"A".repeat(1024)}…`;
    await expect(call("eth_call", { to: REVERTER })).rejects.toMatchObject({ message, data: `0x${output}` });
  });

  it.each([
    ["eth_call", { from: NO_ONE, to: PAID, value: "0x1" }, "insufficient balance for transfer"],
    ["eth_estimateGas", { from: NO_ONE, to: PAID, value: "0x1", gasPrice: "0xba43b7400" }, "for transfer"],
    ["eth_estimateGas", { from: POOR, to: PAID, gasPrice: "0xba43b7400" }, "exceeds allowance (0)"],
    ["eth_sendTransaction", { to: NO_ONE, value: `0x${"f".repeat(30)}` }, "for transfer"],
  ])("that cannot be paid: %s", async (method, tx, hint) => {
    await expect(call(method, tx)).rejects.toMatchObject({
      code: -32000,
      message: "Insufficient funds for gas * price + value",
      data: { hint: expect.stringContaining(hint) },
    });
  });

  it("and estimates calls the sender cannot pay yet, if no price is given", async () => {
    const tx = { from: NO_ONE, to: PAID, value: "0x1" };
    expect(await call("eth_estimateGas", tx)).toBe("0x5208");
    expect(await call("eth_estimateGas", { ...tx, gasPrice: "0x0" })).toBe("0x5208");
    // Gives back the balance of the caller, as a revert: PUSH0 CALLER BALANCE, MSTORE at 0, REVERT.
    await call("anvil_setCode", REVERTER, "0x33315f5260205ffd");
    const seen = { from: NO_ONE, to: REVERTER, value: "0x7", gas: "0x186a0" };
    await expect(call("eth_estimateGas", seen)).rejects.toMatchObject({ data: `0x${word(0)}` });
  });

  it("that has a price below the base fee", async () => {
    const low = {
      code: -32000,
      message: "max fee per gas less than block base fee",
      data: { hint: "maxFeePerGas (0x1) < BaseFee (27500000000)" },
    };
    const tx = { to: PAID, maxFeePerGas: "0x1" };
    await expect(call("eth_sendTransaction", tx)).rejects.toMatchObject(low);
    const both = { ...tx, maxPriorityFeePerGas: "0x0" };
    await expect(call("eth_sendTransaction", both)).rejects.toMatchObject(low);
  });
});

it("a release's dialect has its own texts", async () => {
  await using release = await createNode({ compat: "kaia" });
  const ask = (method: string, ...params: unknown[]) => release.provider.request({ method, params });
  const code = `0x6024600a5f3960245ffd4e487b71${word(0x11)}`;
  await ask("anvil_setCode", REVERTER, code);
  await expect(ask("eth_call", { to: REVERTER }, "latest")).rejects.toMatchObject({
    code: 3,
    message: "execution reverted: arithmetic underflow or overflow",
  });
  await expect(
    ask("eth_estimateGas", { from: NO_ONE, to: REVERTER, gasPrice: "0xba43b7400" }),
  ).rejects.toMatchObject({ message: "insufficient funds for transfer" });
  await expect(ask("eth_estimateGas", { from: NO_ONE, to: PAID, value: "0x1" })).rejects.toThrow(
    "insufficient balance for transfer",
  );
  await expect(ask("eth_sendTransaction", { from: NO_ONE, to: PAID, maxFeePerGas: "0x1" })).rejects.toThrow(
    "maxFeePerGas (0x1) < BaseFee",
  );
});
