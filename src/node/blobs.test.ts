import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex } from "../protocol/primitives/hex.ts";
import { createTransaction, encodeTransaction } from "../protocol/transaction/envelope.ts";
import { signTransaction } from "../protocol/transaction/signing.ts";
import { transactionType } from "../protocol/transaction/type-table.ts";
import type { TransactionType } from "../protocol/transaction/types.ts";
import { createNode, type Node } from "./create-node.ts";

/** Commitment and proofs of the blob of zeros: the point at infinity. */
const INFINITY = Uint8Array.of(0xc0, ...new Uint8Array(47));
const BLOB_TYPE = transactionType(0x7803) as TransactionType;

let node: Node;
let hash: string;

function versionedHash(commitment: Uint8Array): Uint8Array {
  const digest = Uint8Array.from(createHash("sha256").update(commitment).digest());
  digest[0] = 1;
  return digest;
}

function blobTransaction(nonce: bigint, proofs: number): string {
  const account = node.dev?.accounts[0];
  if (account === undefined) throw new Error("no development account");
  const chainId = node.chain.config.chainId;
  const unsigned = createTransaction({
    type: BLOB_TYPE,
    chainId,
    nonce,
    gas: 21_000n,
    gasPrice: 50_000_000_000n,
    maxPriorityFeePerGas: 1n,
    maxFeePerBlobGas: 500_000_000_000n,
    to: account.address,
    value: 0n,
    input: new Uint8Array(0),
    accessList: [],
    blobVersionedHashes: [versionedHash(INFINITY)],
    sidecar: {
      version: 1,
      blobs: [new Uint8Array(131_072)],
      commitments: [INFINITY],
      proofs: Array.from({ length: proofs }, () => INFINITY),
    },
  });
  const signed = signTransaction(unsigned, [account.privateKey], chainId);
  // Ethereum's envelope begins without the byte 0x78.
  return bytesToHex(encodeTransaction(signed).subarray(1));
}

const call = (method: string, ...params: unknown[]): Promise<unknown> =>
  node.provider.request({ method, params });

describe("a blob transaction", () => {
  beforeAll(async () => {
    node = await createNode();
    hash = (await call("eth_sendRawTransaction", blobTransaction(0n, 128))) as string;
    await call("evm_mine");
  });
  afterAll(() => node.stop());

  it("leaves its side car behind when it goes into a block", async () => {
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
      blobSidecar: { version: 1, blobs: [`0x${"00".repeat(131_072)}`], commitments: [bytesToHex(INFINITY)] },
    });
    const short = await call("eth_getBlobSidecarByTxHash", hash, false);
    expect(short).toMatchObject({ blobSidecar: { blobs: [`0x${"00".repeat(32)}`] } });
  });

  it("is refused without a proof for each cell", async () => {
    await expect(call("eth_sendRawTransaction", blobTransaction(1n, 127))).rejects.toThrow(
      "invalid number of 127 blob proofs expected 128",
    );
  });

  it("loses its side car with its block", async () => {
    await call("debug_setHead", "0x0");
    await expect(call("eth_getBlobSidecarByTxHash", hash, false)).rejects.toThrow("transaction not found");
  });
});
