import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { assemble } from "../../../ledger/evm/testing/assemble.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createNode, type Node, type NodeEvent } from "../../index.ts";
import { consoleLines } from "./console-log.ts";

const CONTRACT = "0x10000000000000000000000000000000000000aa";
const CONSOLE = 0x636f6e736f6c652e6c6f67n;

function selector(signature: string): string {
  return bytesToHex(keccak256(new TextEncoder().encode(signature)).subarray(0, 4)).slice(2);
}

/** Code that calls `log(uint256)` of the console with STATICCALL, and then runs `then`. */
function logging(number: number, then: string): string {
  const call = `${number} 36 MSTORE 0x${selector("log(uint256)")} 224 SHL 32 MSTORE 0 0 36 32 ${CONSOLE} GAS STATICCALL POP`;
  return bytesToHex(assemble(`${call} ${then}`));
}

/** Reverts with `Error("no")`. */
const REVERT = "0x08c379a0 224 SHL 0 MSTORE 32 4 MSTORE 2 36 MSTORE 0x6e6f 240 SHL 68 MSTORE 100 0 REVERT";

describe("the events of a node", () => {
  let node: Node;
  let events: NodeEvent[];
  let from: string;
  const request = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
  const ofKind = <K extends NodeEvent["kind"]>(kind: K) =>
    events.filter((event): event is NodeEvent & { kind: K } => event.kind === kind);

  beforeEach(async () => {
    node = await createNode({});
    from = ((await request("eth_accounts")) as string[])[0] as string;
    events = [];
    node.watch((event) => events.push(event));
  });
  afterEach(() => node.stop());

  it("report a transfer with its sender, price and fee, and then its block", async () => {
    const hash = await request("eth_sendTransaction", { from, to: CONTRACT, value: "0x5" });
    await request("eth_getTransactionReceipt", hash);
    const receipt = (await request("eth_getTransactionReceipt", hash)) as Record<string, string>;
    const [told] = ofKind("transaction");
    expect(told).toMatchObject({ blockNumber: 1n, index: 0, error: undefined, console: [] });
    expect(bytesToHex(told?.hash as Uint8Array)).toBe(hash);
    expect(bytesToHex(told?.sender as Uint8Array)).toBe(from);
    expect(told?.price).toBe(BigInt(receipt["effectiveGasPrice"] as string));
    expect(told?.fee).toBe(21_000n * (told?.price as bigint));
    expect(told?.shares).toEqual({ sender: told?.fee, feePayer: 0n });
    expect(ofKind("block")).toMatchObject([{ number: 1n, transactions: 1, gasUsed: 21_000n }]);
    const kinds = events.map(({ kind }) => kind);
    expect(kinds.indexOf("transaction")).toBe(kinds.indexOf("block") - 1);
  });

  it("include console lines and return data of a failed transaction", async () => {
    await request("anvil_setCode", CONTRACT, logging(42, REVERT));
    await request("eth_sendTransaction", { from, to: CONTRACT, gas: "0x186a0" });
    const [told] = ofKind("transaction");
    expect(told?.console).toEqual(["42"]);
    expect(told?.error).toBe("evm: execution reverted");
    expect(bytesToHex(told?.output as Uint8Array).slice(0, 10)).toBe("0x08c379a0");
  });

  it("include the same for calls, wherever they are executed, and their messages", async () => {
    await request("anvil_setCode", CONTRACT, logging(7, "0 0 RETURN"));
    await request("eth_call", { to: CONTRACT, data: "0x1234" }, "latest");
    await request("anvil_setCode", CONTRACT, logging(8, REVERT));
    await request("eth_call", { to: CONTRACT, data: "0x" }, "latest").catch(() => {});
    const calls = ofKind("call").filter(({ method }) => method === "eth_call");
    expect(calls).toMatchObject([
      { message: { to: CONTRACT, input: "0x1234" }, console: ["7"] },
      { error: { code: 3, message: "execution reverted: no" }, console: ["8"] },
    ]);
    expect(calls[0]?.error).toBeUndefined();
  });

  it("include the message of a send only if its estimate failed", async () => {
    await request("anvil_setCode", CONTRACT, logging(8, REVERT));
    await request("eth_sendTransaction", { from, to: CONTRACT }).catch(() => {});
    await request("anvil_setCode", CONTRACT, logging(9, "STOP"));
    await request("eth_sendTransaction", { from, to: CONTRACT });
    const [refused, sent] = ofKind("call").filter(({ method }) => method === "eth_sendTransaction");
    expect(refused).toMatchObject({ message: { from, to: CONTRACT }, error: { code: 3 } });
    expect(sent).not.toHaveProperty("message");
  });

  it("report blocks that left the chain", async () => {
    const id = await request("evm_snapshot");
    for (let i = 0; i < 2; i++) await request("eth_sendTransaction", { from, to: CONTRACT, value: "0x5" });
    await request("evm_revert", id);
    await request("evm_mine");
    expect(ofKind("removal")).toEqual([{ kind: "removal", first: 1n, last: 2n, transactions: 2 }]);
  });

  it("contain no secrets", async () => {
    const words = ["correct horse", "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"];
    await request("personal_importRawKey", words[1], words[0]);
    await request("personal_importRawKey", `${words[1]}zz`, words[0]).catch(() => {});
    await request("personal_unlockAccount", from, words[0], words[1]).catch(() => {});
    await request("personal_sign", "0x12", from, words[0]).catch(() => {});
    await request(`personal_${"unlock"}`, words[0]).catch(() => {});
    expect(ofKind("call")).toHaveLength(5);
    const text = JSON.stringify(events, (_, value) => (typeof value === "bigint" ? String(value) : value));
    for (const word of words) expect(text).not.toContain(word);
  });

  it("are no longer sent to removed listeners", async () => {
    const more: NodeEvent[] = [];
    const leave = node.watch((event) => more.push(event));
    leave();
    await request("eth_sendTransaction", { from, to: CONTRACT, value: "0x5" });
    expect(more).toEqual([]);
    expect(events.length).toBeGreaterThan(0);
  });
});

describe("a line of console.log", () => {
  const word = (value: bigint) => value.toString(16).padStart(64, "0");
  const text = (value: string) =>
    word(BigInt(value.length)) + Buffer.from(value).toString("hex").padEnd(64, "0");
  const line = (hex: string) => consoleLines([Uint8Array.from(Buffer.from(hex, "hex"))])[0];

  it("supports every type of console.sol, also under the names of older releases", () => {
    expect(line(selector("log()"))).toBe("");
    expect(line(selector("log(int256)") + word(2n ** 256n - 3n))).toBe("-3");
    expect(line(selector("log(int)") + word(2n ** 256n - 3n))).toBe("-3");
    expect(line(selector("log(uint)") + word(9n))).toBe("9");
    expect(line(selector("log(bytes4)") + "deadbeef".padEnd(64, "0"))).toBe("0xdeadbeef");
    expect(
      line(selector("log(bool,address,uint256,bool)") + word(1n) + word(0xabn) + word(3n) + word(0n)),
    ).toBe("true 0x00000000000000000000000000000000000000AB 3 false");
  });

  it("fills arguments into the format string", () => {
    const format = (pattern: string) =>
      line(selector("log(string,uint256,uint256)") + word(96n) + word(1n) + word(2n) + text(pattern));
    expect(format("a %d of %s, 100%%")).toBe("a 1 of 2, 100%");
    expect(format("%d")).toBe("1 2");
    expect(format("100% %")).toBe("100% % 1 2");
  });

  it("is shown as hex if unknown or malformed", () => {
    expect(line("12345678")).toBe("0x12345678");
    expect(line(selector("log(string)") + word(1n << 200n))).toMatch(/^0x41304fac/);
    expect(line("")).toBe("0x");
  });
});
