import { decodeItem, encodeItem, type Item } from "../../../../protocol/codec/rlp/item.ts";
import { concat } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../../../create-node.ts";
import type { FeePayerOptions, NodeOptions } from "../../../node-options.ts";

/** Where transfers go. */
export const TO = "0x0000000000000000000000000000000000000b0b";
/** kei. */
export const COIN = 10n ** 18n;

let running: Node | undefined;

/** The node of the current test. */
export function node(): Node {
  if (running === undefined) throw new Error("no node is open");
  return running;
}

/** Starts a development node with a fee payer service. */
export async function open(feePayer: Partial<FeePayerOptions> = {}, more: NodeOptions = {}): Promise<void> {
  running = await createNode({ feePayer: { port: 0, ...feePayer }, ...more });
}

/** Stops it. */
export async function close(): Promise<void> {
  await running?.stop();
  running = undefined;
}

/** Calls a method of the node. */
export const call = (method: string, ...params: unknown[]): Promise<unknown> =>
  node().provider.request({ method, params });
/** A development account. */
export const own = (index: number): string => bytesToHex(node().dev?.accounts[index]?.address as Uint8Array);
/** The balance of an account, in kei. */
export const balance = async (address: string): Promise<bigint> =>
  BigInt((await call("eth_getBalance", address, "latest")) as string);

/** A fee-delegated transfer that its sender has signed; `form` is how clients leave the fee payer open. */
export async function senderSigned(
  index: number,
  more: object = {},
  form: "short" | "blank" = "short",
): Promise<string> {
  const nonce = await call("eth_getTransactionCount", own(index), "pending");
  const tx = {
    ...{ typeInt: 0x09, from: own(index), to: TO, value: "0x1", gas: "0x30000", gasPrice: "0xba43b7400" },
    ...{ nonce, feePayer: own(0) },
    ...more,
  };
  const { raw } = (await call("kaia_signTransaction", tx)) as { raw: string };
  const bytes = hexToBytes(raw);
  const items = (decodeItem(bytes.subarray(1)) as readonly Item[]).slice(0, -2);
  const blank: Item[] = [new Uint8Array(0), [[Uint8Array.of(1), new Uint8Array(0), new Uint8Array(0)]]];
  const payload = encodeItem(form === "short" ? items : [...items, ...blank]);
  return bytesToHex(concat(bytes.subarray(0, 1), payload));
}

/** Asks the service to sign and send. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests look at
export async function post(raw: string | undefined, apiKey?: string): Promise<{ status: number; body: any }> {
  const response = await fetch(`${node().endpoints.feePayer}/api/signAsFeePayer`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(apiKey && { Authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify(raw === undefined ? {} : { userSignedTx: { raw } }),
  });
  return { status: response.status, body: await response.json() };
}

/** Asks the service whether it can pay. */
export async function get(query: string, apiKey?: string): Promise<unknown> {
  const headers = { ...(apiKey && { Authorization: `Bearer ${apiKey}` }) };
  return (await fetch(`${node().endpoints.feePayer}/api/balance${query}`, { headers })).json();
}
