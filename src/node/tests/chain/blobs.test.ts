import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { BlobSidecar } from "../../../protocol/transaction/transaction.ts";
import { createNode, type Node } from "../../create-node.ts";
import { rawBlobTransaction, SIDECAR } from "../../testing/blobs.ts";

/** The trusted setup's tables take seconds, on a busy machine many. */
const TIMEOUT_MS = 120_000;

const { blobs, commitments, proofs } = SIDECAR;
const [blob, commitment] = [blobs[0] as Uint8Array, commitments[0] as Uint8Array];
const proof = (n: number) => proofs[n] as Uint8Array;

let node: Node;
let hash: string;

function raw(nonce: bigint, sidecar: BlobSidecar = SIDECAR): string {
  const [account] = node.dev?.accounts ?? [];
  if (account === undefined) throw new Error("no development account");
  const { chainId } = node.chain.config;
  return rawBlobTransaction({ privateKey: account.privateKey, chainId, nonce, sidecar });
}

const call = (method: string, ...params: unknown[]): Promise<unknown> =>
  node.provider.request({ method, params });

beforeAll(async () => {
  node = await createNode();
  hash = (await call("eth_sendRawTransaction", raw(0n))) as string;
}, TIMEOUT_MS);
afterAll(() => node.stop());

describe("a blob transaction", () => {
  it("loses its sidecar when it is included in a block", async () => {
    const receipt = (await call("eth_getTransactionReceipt", hash)) as {
      blockNumber: string;
      blockHash: string;
    };
    const [shown] = (await call("eth_getBlobSidecars", receipt.blockNumber, true)) as Record<
      string,
      unknown
    >[];
    expect(shown).toMatchObject({
      blockHash: receipt.blockHash,
      blockNumber: receipt.blockNumber,
      txHash: hash,
      txIndex: "0x0",
      blobSidecar: { version: 1, blobs: [bytesToHex(blob)], commitments: [bytesToHex(commitment)] },
    });
    const short = await call("eth_getBlobSidecarByTxHash", hash, false);
    expect(short).toMatchObject({ blobSidecar: { blobs: [bytesToHex(blob.subarray(0, 32))] } });
  });

  it("may be all zeros: commitment and proofs are the point at infinity", async () => {
    const infinity = hexToBytes(`0xc0${"00".repeat(47)}`);
    const zeros = { blobs: [new Uint8Array(131_072)], commitments: [infinity] };
    const sent = call(
      "eth_sendRawTransaction",
      raw(1n, { version: 1, ...zeros, proofs: proofs.map(() => infinity) }),
    );
    await expect(sent).resolves.toMatch(/^0x/);
  });
});

/** The recorded fixture with one thing changed, and the words of the reference. */
const WRONG = "can't verify opening proof";
const point = (hex: string) => hexToBytes(`0x${hex.padEnd(96, "0")}`);
const withProof = (n: number, value: Uint8Array) => ({ proofs: proofs.with(n, value) });
const changed: readonly (readonly [string, Partial<BlobSidecar>, string])[] = [
  ["a proof of another cell", withProof(3, proof(5)), WRONG],
  ["two proofs swapped", { proofs: proofs.with(0, proof(1)).with(1, proof(0)) }, WRONG],
  ["a commitment to another blob", { commitments: [proof(5)] }, WRONG],
  ["another blob", { blobs: [blob.with(131_071, 1)] }, WRONG],
  [
    "a number in the blob that is too large",
    { blobs: [blob.with(32, 0xff)] },
    "scalar is not canonical when interpreted as a big integer in big-endian",
  ],
  ["a commitment that is not a point", { commitments: [point("ff")] }, "invalid point encoding"],
  ["a proof that is no compressed point", withProof(3, point("")), "short buffer"],
  [
    "a proof outside the field",
    withProof(
      3,
      hexToBytes(
        `0x9a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab`,
      ),
    ),
    "invalid fp.Element encoding",
  ],
  [
    "a proof off the curve",
    withProof(127, hexToBytes(`0x80${"00".repeat(46)}01`)),
    "invalid compressed coordinate: square root doesn't exist",
  ],
  [
    "a proof outside the subgroup",
    withProof(0, hexToBytes(`0x80${"00".repeat(46)}04`)),
    "invalid point: subgroup check failed",
  ],
  ["a point at infinity with a rest", withProof(0, point("c001")), "invalid infinity point encoding"],
  ["a proof too few", { proofs: proofs.slice(1) }, "invalid number of 127 blob proofs expected 128"],
  [
    "a proof cut short",
    withProof(3, proof(3).subarray(1)),
    "rlp: input string too short for kzg4844.Proof, decoding into " +
      "(types.Transaction)(types.TxInternalDataSerializer)(types.TxInternalDataEthereumBlob)(types.blobTxWithBlobsV1).Proofs[3]",
  ],
  [
    "a blob cut short",
    { blobs: [blob.subarray(1)] },
    "rlp: input string too short for kzg4844.Blob, decoding into " +
      "(types.Transaction)(types.TxInternalDataSerializer)(types.TxInternalDataEthereumBlob)(types.blobTxWithBlobsV1).Blobs[0]",
  ],
  ["version 0", { version: 0 }, "blob sidecar version 0 not supported"],
];

describe("a sidecar is rejected with the reference's texts for", () => {
  it.each(changed)("%s", async (_, change, message) => {
    const sent = call("eth_sendRawTransaction", raw(2n, { ...SIDECAR, ...change }));
    await expect(sent).rejects.toMatchObject({ code: -32000, message });
  });

  it("a commitment other than the transaction's", async () => {
    const swapped = raw(2n).replace(bytesToHex(commitment).slice(2), bytesToHex(proof(5)).slice(2));
    await expect(call("eth_sendRawTransaction", swapped)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^blob 0: computed hash 0x01[0-9a-f]{62} mismatches transaction one 01[0-9a-f]{62}$/,
      ),
    });
  });
});

it("a sidecar is removed with its block", async () => {
  await call("debug_setHead", "0x0");
  await expect(call("eth_getBlobSidecarByTxHash", hash, false)).rejects.toThrow("transaction not found");
});
