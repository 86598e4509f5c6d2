import { expect, it } from "vitest";
import { rpcCall } from "./json-rpc.ts";
import { startNode } from "./started-node.ts";

it("starts with --usb on any machine, and reports what is missing", async () => {
  const node = await startNode("--usb");
  try {
    const wallets: { url: string }[] = await rpcCall(node.endpoints.http, "personal_listWallets");
    expect(wallets.filter(({ url }) => url.startsWith("memory://"))).toHaveLength(node.accounts.length);
    for (const line of node.printed.stderr.split("\n").filter((one) => one !== ""))
      expect(line).toMatch(/WARN +\[wallet\] (Ledger|Trezor) devices are not found: .* reason=/);
  } finally {
    expect(await node.stop()).toBe(0);
  }
});
