import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { WebSocket } from "ws";
import { createNode, type Node } from "../../node/create-node.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { transactionType } from "../../protocol/transaction/type-table.ts";
import type { TransactionType } from "../../protocol/transaction/types.ts";
import { api, devApi } from "../rpc/spec/api.ts";
import { createClient, encodeArguments } from "./client.ts";
import { httpRequest } from "./http.ts";
import { localAccount } from "./local-account.ts";
import { remoteProvider } from "./provider.ts";
import { connect } from "./websocket.ts";

const KEY = hexToBytes("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
const LATEST = { number: "latest" } as const;
let node: Node;

beforeAll(async () => {
  const modules = ["eth", "kaia", "net", "web3"];
  node = await createNode({ http: { port: 0, modules }, ws: { port: 0, modules } });
});
afterAll(() => node.stop());

describe("the typed client", () => {
  it("encodes arguments and decodes results by the declarations; an omitted block is the latest", async () => {
    const client = createClient(api, httpRequest(node.endpoints.http as string));
    const { address } = localAccount([KEY]);
    const balance = await client.kaia_getBalance({ address, block: LATEST });
    expectTypeOf(balance).toEqualTypeOf<bigint>();
    expect(balance).toBe(10_000n * 10n ** 18n);
    expect(await client.kaia_getBalance({ address })).toBe(balance);
    expect(await client.kaia_blockNumber()).toBe(0n);
    expectTypeOf(client.kaia_getBalance).parameter(0).not.toEqualTypeOf<undefined>();
    expect(await client.kaia_getAccountKey({ address, block: LATEST })).toEqual({ keyType: 1, key: {} });
  });

  it("types the members of rendered objects, and has the controls of a development chain", async () => {
    const client = createClient(
      { ...api, ...devApi },
      (method, params) => node.provider.request({ method, params }) as Promise<never>,
    );
    const { address } = localAccount([KEY]);
    const id = await client.evm_snapshot();
    await client.anvil_setBalance({ address, balance: 7n });
    expect(await client.eth_getBalance({ address })).toBe(7n);
    const block = await client.eth_getBlockByNumber({ number: 0n, transactions: false });
    expectTypeOf(block?.baseFeePerGas).toEqualTypeOf<string | undefined>();
    expect(block?.baseFeePerGas).toBe("0x5d21dba00");
    expect(await client.evm_revert({ id: BigInt(id) })).toBe(true);
  });

  it("omits only trailing optional arguments", () => {
    const { params } = api.kaia_estimateGas;
    expect(encodeArguments(params, { call: { from: new Uint8Array(20), value: 0n } })).toHaveLength(1);
    const all = encodeArguments(params, {
      call: { from: new Uint8Array(20), value: 0n },
      overrides: new Map(),
    });
    expect(all.slice(1)).toEqual([null, {}]);
  });

  it("sends calls of one turn of the event loop as one batch, each with its own error", async () => {
    const request = httpRequest(node.endpoints.http as string);
    const [version, failure] = await Promise.allSettled([
      request("net_version", []),
      request("eth_getBalance", ["0x12", "latest"]),
    ]);
    expect(version).toEqual({ status: "fulfilled", value: "1337" });
    expect(failure).toMatchObject({ reason: { code: -32602, data: { hint: expect.any(String) } } });
  });
});

describe("a connection", () => {
  it("carries calls and events, and sends locally signed transactions", async () => {
    const connection = await connect(new WebSocket(node.endpoints.ws as string) as never);
    const provider = remoteProvider(connection.request);
    const account = localAccount([KEY]);
    const heads: unknown[] = [];
    const end = await connection.subscribe("kaia", ["newHeads"], (head) => heads.push(head));
    const raw = account.sign(
      {
        type: transactionType(0x08) as TransactionType,
        from: account.address,
        to: new Uint8Array(20).fill(9),
        value: 5n,
        gas: 100_000n,
        gasPrice: BigInt((await provider.request({ method: "kaia_gasPrice" })) as string),
      },
      1337n,
    );
    const hash = await provider.request({ method: "kaia_sendRawTransaction", params: [bytesToHex(raw)] });
    await expect
      .poll(() => provider.request({ method: "kaia_getTransactionReceipt", params: [hash] }))
      .toMatchObject({
        status: "0x1",
        type: "TxTypeValueTransfer",
      });
    await expect.poll(() => heads.length).toBeGreaterThan(0);
    await end();
    connection.close();
    await expect
      .poll(() => connection.request("net_version", []).catch(String))
      .toMatch("the connection is closed");
  });
});
