import { Ajv } from "ajv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../../../node/create-node.ts";
import type { Schema } from "../../../../protocol/codec/json/schema.ts";
import { block, header } from "./block.ts";
import { log, receipt } from "./receipt.ts";
import { transaction } from "./transaction.ts";

const ajv = new Ajv({ strict: false });
/** Emits one event with one topic and returns no code. */
const EMITTER = "0x7f00000000000000000000000000000000000000000000000000000000000000ab5f5fa15f5ff3";
const to = "0x00000000000000000000000000000000000a11ce";
let node: Node;
let hashes: string[];

// biome-ignore lint/suspicious/noExplicitAny: answers are checked by schema
type AnyResult = any;
const call = (method: string, ...params: unknown[]): Promise<AnyResult> =>
  node.provider.request({ method, params });

beforeAll(async () => {
  node = await createNode({ sealing: { kind: "manual" } });
  const [from, feePayer] = await call("eth_accounts");
  const gas = "0x30d40";
  const delegated = {
    typeInt: 10,
    from,
    to,
    value: "0x1",
    gas,
    gasPrice: "0x66720b300",
    nonce: "0x2",
    feePayer,
    feeRatio: 30,
  };
  const { tx } = await call("kaia_signTransaction", delegated);
  hashes = [
    await call("eth_sendTransaction", { from, to, value: "0x1", gas, accessList: [] }),
    await call("eth_sendTransaction", {
      from,
      data: EMITTER,
      gas,
      maxFeePerGas: "0xba43b7400",
      maxPriorityFeePerGas: "0x0",
    }),
    await call("kaia_sendTransactionAsFeePayer", { ...delegated, signatures: tx.signatures }),
    await call("kaia_sendTransaction", { typeInt: 32, from, key: "0x01c0", gas }),
  ];
  const waiting = await call("eth_getTransactionByHash", hashes[0]);
  expectFits(transaction, waiting);
  expectFits(transaction, await call("kaia_getTransactionByHash", hashes[0]));
  await call("anvil_mine", "0x1");
});
afterAll(() => node.stop());

/** Whether an object is as its schema says, with no member that the schema does not name. */
function expectFits(schema: Schema<unknown>, value: AnyResult): void {
  const isValid = ajv.compile({ ...schema.json, additionalProperties: false });
  isValid(value);
  expect(isValid.errors, JSON.stringify(value)).toBeNull();
}

describe.each(["eth", "kaia"])("what %s_ returns matches its declaration", (namespace) => {
  it("of blocks and headers", async () => {
    for (const number of ["0x0", "0x1"]) {
      expectFits(block, await call(`${namespace}_getBlockByNumber`, number, true));
      expectFits(block, await call(`${namespace}_getBlockByNumber`, number, false));
      expectFits(header, await call(`${namespace}_getHeaderByNumber`, number));
    }
  });

  it("of transactions and receipts of several types", async () => {
    for (const hash of hashes) {
      expectFits(transaction, await call(`${namespace}_getTransactionByHash`, hash));
      expectFits(receipt, await call(`${namespace}_getTransactionReceipt`, hash));
    }
  });

  it("of logs", async () => {
    const [emitted, ...others] = await call(`${namespace}_getLogs`, { fromBlock: "0x0" });
    expectFits(log, emitted);
    expect(others).toEqual([]);
  });
});
