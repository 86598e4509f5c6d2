import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { Node } from "../../create-node.ts";

export const STRANGER = "0x00000000000000000000000000000000000a11ce";
export const OTHER = "0x0000000000000000000000000000000000000b0b";
export const SLOT = `0x${"00".repeat(31)}07`;
/** Code that returns slot 7. */
export const READER = "0x60075460005260206000f3";
export const COIN = 10n ** 18n;

export const hex = (value: bigint | number): string => `0x${value.toString(16)}`;

/** Short forms for calling the node that a test has open. */
export function devCalls(open: () => Node) {
  const call = (method: string, ...params: unknown[]): Promise<unknown> =>
    open().provider.request({ method, params });
  return {
    call,
    balance: async (address: string, block: string = "latest"): Promise<bigint> =>
      BigInt((await call("eth_getBalance", address, block)) as string),
    own: (index: number): string => bytesToHex(open().dev?.accounts[index]?.address as Uint8Array),
    number: async (): Promise<number> => Number(await call("eth_blockNumber")),
    root: (): string => bytesToHex(open().chain.store.latest().root),
    /** Sends a transaction, and seals its block unless mining is automatic. Returns the receipt. */
    async sent(method: string, tx: Record<string, unknown>): Promise<Record<string, string>> {
      const hash = await call(method, tx);
      const receipt = () => call("kaia_getTransactionReceipt", hash) as Promise<Record<string, string>>;
      if ((await call("anvil_getAutomine")) === true) return receipt();
      await call("evm_mine");
      return receipt();
    },
  };
}
