import * as noble from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bench, describe } from "vitest";
import { decodeItem, encodeItem } from "../src/protocol/codec/rlp/item.ts";
import { RlpReader } from "../src/protocol/codec/rlp/reader.ts";
import { keccak256 } from "../src/protocol/crypto/keccak.ts";
import { sharedBatches } from "../src/protocol/crypto/recovery/batch-recovery.ts";
import { loadBackend } from "../src/protocol/crypto/secp256k1-backend.ts";
import { nobleBackend } from "../src/protocol/crypto/secp256k1-noble.ts";
import { bytesToHex, hexToBytes } from "../src/protocol/primitives/hex.ts";

const filled = (length: number): Uint8Array => new Uint8Array(length).fill(0xab);

for (const length of [32, 135, 532, 4096]) {
  const message = filled(length);
  describe(`Keccak-256 of ${length} bytes`, () => {
    bench("own WebAssembly", () => void keccak256(message));
    bench("@noble/hashes", () => void keccak_256(message));
  });
}

describe("recovery of a signer", () => {
  const [hash, key] = [filled(32), filled(32)];
  for (const backend of [loadBackend(), nobleBackend(noble)]) {
    const signature = backend.sign(hash, key);
    const [rs, parity] = [signature.subarray(0, 64), signature[64] as number];
    bench(backend.name, () => void backend.recover(hash, rs, parity));
  }
});

for (const count of [1, 16, 256]) {
  describe(`recovery of ${count} signers`, () => {
    const native = loadBackend();
    const signed = Array.from({ length: count }, (_, i) => {
      const hash = filled(32).fill(i & 0xff, 0, 8);
      const signature = native.sign(hash, filled(32).fill(1 + (i >> 4), 0, 4));
      return { hash, rs: signature.subarray(0, 64), recid: signature[64] as number };
    });
    bench("together", () => void sharedBatches().recover(signed));
    bench("one after the other, native", () => {
      for (const { hash, rs, recid } of signed) native.recover(hash, rs, recid);
    });
  });
}

describe("RLP of a transaction of 174 bytes", () => {
  const item = [1, 5, 2, 20, 0, 68, 2, 32, 32].map(filled);
  const encoded = encodeItem(item);
  bench("encode", () => void encodeItem(item));
  bench("decode to items", () => void decodeItem(encoded));
  bench("read field by field", () => {
    const reader = new RlpReader(encoded);
    reader.enterList("transaction");
    while (!reader.atEnd) reader.bytes();
    reader.leaveList();
  });
});

describe("hex of 32 bytes", () => {
  const bytes = filled(32);
  const hex = bytesToHex(bytes);
  bench("encode", () => void bytesToHex(bytes));
  bench("decode", () => void hexToBytes(hex));
});
