import { expect, it } from "vitest";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createNode } from "../../create-node.ts";

it("finds the first transaction of a nonce again when the chain is rewound below later ones", async () => {
  await using node = await createNode();
  const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
  const [from] = (await call("eth_accounts")) as [string];
  const sendWithNonceZero = async (): Promise<unknown> => {
    await call("anvil_setNonce", from, "0x0");
    await call("eth_sendTransaction", { from, to: from, value: "0x1" });
    return call("evm_snapshot");
  };
  const places = () =>
    [...node.chain.sent(hexToBytes(from), { from: 0n, to: 9n })].map(({ blockNumber }) =>
      Number(blockNumber),
    );
  const first = await sendWithNonceZero();
  const second = await sendWithNonceZero();
  await sendWithNonceZero();
  await sendWithNonceZero();
  expect(places()).toEqual([4]);
  await call("evm_revert", second);
  expect(places()).toEqual([2]);
  await call("evm_revert", first);
  expect(places()).toEqual([1]);
  await call("anvil_rollback", 1);
  expect(places()).toEqual([]);
});
