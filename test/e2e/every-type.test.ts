import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rpcCall, rpcError, until } from "./json-rpc.ts";
import { initPrivateChain, PRIVATE_CHAIN_KEYS, type PrivateNode, startPrivateNode } from "./private-chain.ts";
import { temporaryFolder } from "./started-node.ts";

const folder = temporaryFolder();
const to = "0x00000000000000000000000000000000000a11ce";
const key = (PRIVATE_CHAIN_KEYS[0] as string).slice(2);
let node: PrivateNode;
let from: string;
const call = (method: string, ...params: unknown[]) => rpcCall(node.url, method, ...params);

/** Fields of each type besides sender and gas; codes of fee-delegated variants follow by adding 1 and 2. */
const TYPES: readonly [code: number, name: string, members: Record<string, unknown>][] = [
  [0x08, "ValueTransfer", { to, value: "0x1" }],
  [0x10, "ValueTransferMemo", { to, value: "0x1", input: "0x6b6169726e" }],
  [0x20, "AccountUpdate", { key: "0x01c0" }],
  [0x28, "SmartContractDeploy", { value: "0x0", input: "0x60016000f3", codeFormat: 0, humanReadable: false }],
  [0x30, "SmartContractExecution", { value: "0x0", input: "0x00000000" }],
  [0x38, "Cancel", {}],
];

beforeAll(async () => {
  await initPrivateChain(folder);
  const modules = "eth,kaia,personal,net";
  node = await startPrivateNode(folder, "--rpcapi", modules, "--lightkdf", "--gcmode", "archive");
  from = await call("personal_importRawKey", key, "secret");
  expect(await rpcError(node.url, "personal_importRawKey", key, "secret")).toMatchObject({ code: -32000 });
  expect(await call("personal_unlockAccount", from, "secret", 10_000_000)).toBe(true);
});
afterAll(async () => {
  node.child.kill("SIGINT");
  expect(await node.exited).toBe(0);
  rmSync(folder, { recursive: true });
});

/** The receipt of a transaction, once mined. */
const mined = (hash: string) =>
  until(
    () => call("kaia_getTransactionReceipt", hash),
    (receipt) => receipt !== null,
  );

describe("an account unlocked for a long time, with gas limits far above what is used", () => {
  let contract: string;

  async function parts(code: number, members: Record<string, unknown>) {
    const price = { gasPrice: await call("kaia_gasPrice"), gas: "0x1cfde00" };
    const nonce = await call("kaia_getTransactionCount", from, "pending");
    return { typeInt: code, from, nonce, ...price, ...(code >> 3 === 6 && { to: contract }), ...members };
  }

  it.each(TYPES)("sends type %i (%s), plain and with itself as fee payer", async (code, name, members) => {
    const hashes = [await call("kaia_sendTransaction", await parts(code, members))];
    for (const more of [1, 2]) {
      const ratio = more === 2 ? { feeRatio: 30 } : {};
      const delegated = { ...(await parts(code + more, members)), feePayer: from, ...ratio };
      const { tx } = await call("klay_signTransaction", delegated);
      const asFeePayer = { ...delegated, signatures: tx.signatures };
      expect((await call("kaia_signTransactionAsFeePayer", asFeePayer)).raw).toMatch(/^0x/);
      hashes.push(await call("kaia_sendTransactionAsFeePayer", asFeePayer));
    }
    const [alone, ...delegated] = await Promise.all(hashes.map(mined));
    expect(alone).toMatchObject({ type: `TxType${name}`, status: "0x1" });
    contract = alone.contractAddress ?? contract;
    expect(delegated).toMatchObject(
      ["", "WithRatio"].map((suffix) => ({
        type: `TxTypeFeeDelegated${name}${suffix}`,
        status: "0x1",
        feePayer: from,
      })),
    );
  });

  it("sends Ethereum's types", async () => {
    const gasPrice = await call("eth_gasPrice");
    const base = { from, to, value: "0x1", gas: "0x2faf080" };
    const types = {
      "0x0": { gasPrice },
      "0x1": { gasPrice, accessList: [] },
      "0x2": { maxFeePerGas: gasPrice, maxPriorityFeePerGas: "0x0" },
    };
    const hashes: string[] = [];
    for (const members of Object.values(types))
      hashes.push(await call("eth_sendTransaction", { ...base, ...members }));
    await Promise.all(hashes.map(mined));
    for (const [i, type] of Object.keys(types).entries())
      expect(await call("eth_getTransactionReceipt", hashes[i])).toMatchObject({ type, status: "0x1" });
  });

  it("reads its balance at any block", async () => {
    const height = Number(await call("eth_blockNumber"));
    const first = BigInt(await call("eth_getBalance", from, "0x0"));
    expect(first).toBe(10n ** 24n);
    expect(BigInt(await call("eth_getBalance", from, `0x${(height - 1).toString(16)}`))).toBeLessThan(first);
  });
});
