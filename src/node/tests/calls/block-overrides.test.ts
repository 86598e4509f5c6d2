import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../create-node.ts";

const TELLER = `0x${"77".repeat(20)}`;
const PICKY = `0x${"78".repeat(20)}`;
const PROPOSER = `0x${"cc".repeat(20)}`;
/** Opcodes that tell of the block, in the order in which the contract returns their words. */
const TOLD = {
  NUMBER: 0x43,
  TIMESTAMP: 0x42,
  GASLIMIT: 0x45,
  COINBASE: 0x41,
  PREVRANDAO: 0x44,
  BASEFEE: 0x48,
};
const BLOBBASEFEE = 0x4a;
const hex = (byte: number) => byte.toString(16).padStart(2, "0");
/** Opcode, PUSH1 offset, MSTORE for each; PUSH1 length, PUSH0, RETURN. */
const OPCODES = [...Object.values(TOLD), BLOBBASEFEE];
const TELL = `0x${OPCODES.map((opcode, i) => `${hex(opcode)}60${hex(32 * i)}52`).join("")}60${hex(32 * OPCODES.length)}5ff3`;
/** NUMBER, PUSH1 77, EQ, PUSH1 10, JUMPI, PUSH0, PUSH0, REVERT, JUMPDEST, STOP: reverts but in block 77. */
const PICK = "0x43604d14600a575f5ffd5b00";

let node: Node;
const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
const told = async (...params: unknown[]) => {
  const output = (await call("eth_call", { to: TELLER }, ...params)) as string;
  return OPCODES.map((_, i) => BigInt(`0x${output.slice(2 + 64 * i, 66 + 64 * i)}`));
};

describe("Calls on a development chain", () => {
  beforeAll(async () => {
    node = await createNode();
    await call("anvil_setCode", TELLER, TELL);
    await call("anvil_setCode", PICKY, PICK);
  });
  afterAll(() => node.stop());

  it("see the block described by the fourth parameter, in the names of the Execution API", async () => {
    const own = {
      number: "0x4d",
      time: "0x63",
      gasLimit: "0x1000",
      feeRecipient: PROPOSER,
      prevRandao: `0x${"5".padStart(64, "0")}`,
      baseFeePerGas: "0x7",
      blobBaseFee: "0x9",
    };
    expect(await told("latest", {}, own)).toEqual([77n, 99n, 4096n, BigInt(PROPOSER), 5n, 7n, 9n]);
  });

  it("see it in cast's names as well, and everything else unchanged", async () => {
    const [number = 0n, time, gasLimit, , , , blobBaseFee] = await told("latest");
    const own = { coinbase: PROPOSER, random: "0x5", baseFee: "0x7" };
    const expected = [number, time, gasLimit, BigInt(PROPOSER), 5n, 7n, blobBaseFee];
    expect(await told("latest", null, own)).toEqual(expected);
    expect(await told("latest", null, null)).toEqual(await told("latest"));
  });

  it("see it if so many accounts are overridden that the call runs in a thread", async () => {
    const many = Array.from({ length: 300 }, (_, i) => [
      `0x${(i + 4096).toString(16).padStart(40, "0")}`,
      { balance: "0x1" },
    ]);
    const [number, time] = await told("latest", Object.fromEntries(many), { number: "0x4d", time: "0x63" });
    expect([number, time]).toEqual([77n, 99n]);
  });

  it("are estimated in that block", async () => {
    await expect(call("eth_estimateGas", { to: PICKY })).rejects.toMatchObject({ code: 3 });
    const gas = await call("eth_estimateGas", { to: PICKY }, "latest", {}, { number: "0x4d" });
    expect(BigInt(gas as string)).toBeGreaterThan(21_000n);
  });
});

describe("In a release's dialect", () => {
  it.each(["kaia", "klaytn"] as const)("%s calls have no such parameter", async (compat) => {
    await using release = await createNode({ compat });
    for (const method of ["eth_call", "eth_estimateGas"])
      await expect(
        release.provider.request({ method, params: [{ to: TELLER }, "latest", {}, { number: "0x4d" }] }),
      ).rejects.toMatchObject({ code: -32602, message: "too many arguments, want at most 3" });
  });
});
