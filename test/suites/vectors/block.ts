import { nextBaseFee } from "../../../src/protocol/block/base-fee.ts";
import { decodeBlock, encodeBlock, encodeBody } from "../../../src/protocol/block/block-codec.ts";
import { logsBloom } from "../../../src/protocol/block/bloom.ts";
import {
  blockHash,
  committedSealMessage,
  proposerSealMessage,
  sealHash,
} from "../../../src/protocol/block/hash.ts";
import type { Header } from "../../../src/protocol/block/header.ts";
import { decodeHeader, encodeHeader } from "../../../src/protocol/block/header-codec.ts";
import { roundOf } from "../../../src/protocol/block/istanbul-extra.ts";
import { deriveSha } from "../../../src/protocol/block/list-root.ts";
import { decodeReceipt, encodeReceipt } from "../../../src/protocol/block/receipt-codec.ts";
import { authorOf } from "../../../src/protocol/block/seal.ts";
import { addressOfPublicKey, publicKeyOf } from "../../../src/protocol/crypto/secp256k1.ts";
import { bytesToHex as hex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { transactionHash } from "../../../src/protocol/transaction/envelope.ts";
import { casesOf, same } from "./vector-case.ts";

/** headers.json: encoding, the four hashes, round and proposer. */
export const headers = casesOf((vector) => {
  const header = decodeHeader(hexToBytes(vector.rlp));
  const proposer = addressOfPublicKey(publicKeyOf(hexToBytes(vector.proposerPrivateKey)));
  same(hex(encodeHeader(header)), vector.rlp, "rlp");
  same(hex(sealHash(header)), vector.sealHash, "sealHash");
  same(hex(proposerSealMessage(header)), vector.sealSigningHash, "sealSigningHash");
  same(hex(blockHash(header)), vector.hash, "hash");
  same(
    hex(committedSealMessage(blockHash(header))),
    vector.committedSealSigningHash,
    "committedSealSigningHash",
  );
  same(roundOf(header.extra), vector.round, "round");
  same(hex(authorOf(header)), hex(proposer), "proposer");
});

/** blocks.json: blocks whose typed transactions are not wrapped. */
export const blocks = casesOf((vector) => {
  const block = decodeBlock(hexToBytes(vector.rlp));
  same(hex(encodeBlock(block)), vector.rlp, "rlp");
  same(hex(encodeBody(block.transactions)), vector.bodyRlp, "bodyRlp");
  same(hex(encodeHeader(block.header)), vector.headerRlp, "headerRlp");
  same(hex(blockHash(block.header)), vector.hash, "hash");
  same(
    block.transactions.map((tx) => hex(transactionHash(tx))),
    vector.txHashes,
    "txHashes",
  );
});

/** list-roots.json: the three ways to hash a list. */
export const listRoots = casesOf(({ items, original, simple, concat }) => {
  const bytes = items.map(hexToBytes);
  same(
    [0, 1, 2].map((way) => hex(deriveSha(way, bytes))),
    [original, simple, concat],
    "roots",
  );
});

/** receipts.json: the consensus form. */
export const receipts = casesOf((vector) => {
  const receipt = decodeReceipt(hexToBytes(vector.rlp));
  same(receipt.status, vector.status, "status");
  same(receipt.gasUsed, vector.gasUsed, "gasUsed");
  same(hex(logsBloom(receipt.logs)), vector.bloom, "bloom");
  same(hex(encodeReceipt(receipt)), vector.rlp, "rlp");
});

/** basefee.json: sequences of blocks under KIP-71. */
export const baseFees = casesOf(({ kip71, startBaseFee, startNumber, steps }) => {
  const params = {
    lowerBoundBaseFee: BigInt(kip71.lowerboundbasefee),
    upperBoundBaseFee: BigInt(kip71.upperboundbasefee),
    gasTarget: BigInt(kip71.gastarget),
    maxBlockGasUsedForBaseFee: BigInt(kip71.maxblockgasusedforbasefee),
    baseFeeDenominator: BigInt(kip71.basefeedenominator),
  };
  let baseFee: bigint | undefined = startBaseFee === null ? undefined : BigInt(startBaseFee);
  steps.forEach((step: { parentGasUsed: number; baseFee: string }, i: number) => {
    const parent = { number: BigInt(startNumber + i), gasUsed: BigInt(step.parentGasUsed), baseFee };
    baseFee = nextBaseFee(parent as Header, params);
    same(baseFee, step.baseFee, `steps[${i}].baseFee`);
  });
});
