import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Json } from "../../protocol/codec/json/value.ts";
import { callWithDeviceHelp } from "./device-help.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;
const LEDGER = {
  url: "ledger://1-1",
  status: "Ethereum app offline",
  accounts: [{ address: ADDRESS, url: "" }],
};
const KEY_FILE = {
  url: "keystore:///k",
  status: "Locked",
  accounts: [{ address: `0x${"cd".repeat(20)}`, url: "" }],
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What is printed during a call of this duration. */
async function printed(
  method: string,
  params: readonly Json[],
  { ms = 0, wallets = [LEDGER, KEY_FILE] as readonly object[] } = {},
): Promise<string> {
  const lines: string[] = [];
  const request = async (name: string): Promise<never> => {
    if (name === "personal_listWallets") return wallets as never;
    await new Promise((resolve) => setTimeout(resolve, ms));
    return null as never;
  };
  const call = callWithDeviceHelp(method, params, { request, print: (text) => void lines.push(text) });
  await vi.advanceTimersByTimeAsync(ms);
  await call;
  return lines.join("");
}

describe("a call that takes long", () => {
  it.each<[string, readonly Json[]]>([
    ["eth_sendTransaction", [{ from: ADDRESS.toUpperCase().replace("0X", "0x") }]],
    ["eth_sign", [ADDRESS, "0x00"]],
    ["personal_deriveAccount", ["ledger://1-1", "m/44'/60'/0'/0/0", true]],
  ])("points the user of %s to the device", async (method, params) => {
    expect(await printed(method, params, { ms: 3000 })).toBe(
      "Check the device ledger://1-1: it is waiting for you.\n",
    );
    expect(await printed(method, params, { ms: 500 })).toBe("");
  });

  it("prints nothing when no device is involved", async () => {
    expect(await printed("eth_sign", [`0x${"cd".repeat(20)}`], { ms: 3000 })).toBe("");
    expect(await printed("eth_blockNumber", [], { ms: 3000 })).toBe("");
  });
});

describe("opening a device", () => {
  it("prints its state, or what to do first", async () => {
    expect(await printed("personal_openWallet", ["ledger://1-1"])).toBe("Ethereum app offline\n");
    const failure = "ledger: open the Klaytn or the Ethereum app on the device";
    const wallets = [{ ...LEDGER, failure }];
    expect(await printed("personal_openWallet", ["ledger://1-1"], { wallets })).toBe(`${failure}\n`);
    expect(await printed("personal_openWallet", ["keystore:///k"])).toBe("");
  });
});
