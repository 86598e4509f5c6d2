import { rawBlobTransaction } from "../../../src/node/testing/blobs.ts";
import { hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import type { Scene } from "../scene.ts";
import { CHAIN_ID, eventually, keyOf, reaches } from "../stage.ts";

/** An endpoint that downloads a block with a blob has no sidecar for it, and requests one. */
export const sidecars: Scene = {
  id: "s",
  title: "an endpoint fetches the sidecars of blobs in blocks it has synced",
  casts: [
    { cn: "kairn", en: "kairn" },
    { cn: "go", en: "kairn" },
    { cn: "kairn", en: "go" },
  ],
  async play(stage, { cn: cnKind = "kairn", en: enKind = "kairn" }) {
    const cn = await stage.start({ kind: cnKind, role: "cn", name: "cn" });
    await reaches(cn, 2);
    const privateKey = hexToBytes(`0x${keyOf("alice")}`);
    const hash = await cn.call(
      "eth_sendRawTransaction",
      rawBlobTransaction({ privateKey, chainId: BigInt(CHAIN_ID) }),
    );
    const receipt = await eventually<{ readonly blockNumber: string } | null>(
      "the blob is mined",
      () => cn.call("eth_getTransactionReceipt", hash),
      (receipt) => receipt !== null,
    );
    const blockNumber = receipt?.blockNumber;
    await reaches(cn, Number(blockNumber) + 3);
    const ask = async (node: typeof cn) =>
      JSON.stringify(await node.call("eth_getBlobSidecars", blockNumber, true));
    const wanted = await ask(cn);
    const en = await stage.start({ kind: enKind, role: "en", name: "en", peers: [cn.url] });
    await reaches(en, Number(blockNumber));
    const began = performance.now();
    await eventually(
      "the endpoint has the sidecar of its consensus node",
      () => ask(en),
      (got) => got === wanted && got.includes(hash),
    );
    return (
      `block ${Number(blockNumber)}, ${Math.round(wanted.length / 1024)} KiB of JSON, ` +
      `${Math.round(performance.now() - began)} ms after the block`
    );
  },
};
