// RLP, keys and legacy EIP-155 signing: just what the load generator needs.
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";

export const hex = (u8) => Buffer.from(u8.buffer, u8.byteOffset, u8.length).toString("hex");
export const keccak = (u8) => keccak_256(u8);
const trim = (b) => {
  let i = 0;
  while (i < b.length && b[i] === 0) i++;
  return b.subarray(i);
};
export const intBytes = (v) => {
  const n = BigInt(v);
  if (n === 0n) return Buffer.alloc(0);
  let h = n.toString(16);
  if (h.length & 1) h = `0${h}`;
  return Buffer.from(h, "hex");
};
export const bytes = (h) => Buffer.from(h.replace(/^0x/, ""), "hex");
const lenPrefix = (n, base) =>
  n < 56
    ? Buffer.from([base + n])
    : ((l) => Buffer.concat([Buffer.from([base + 55 + l.length]), l]))(intBytes(n));
export function rlp(x) {
  if (Array.isArray(x)) {
    const b = Buffer.concat(x.map(rlp));
    return Buffer.concat([lenPrefix(b.length, 0xc0), b]);
  }
  if (x.length === 1 && x[0] < 0x80) return x;
  return Buffer.concat([lenPrefix(x.length, 0x80), x]);
}
export function account(priv) {
  const p = typeof priv === "string" ? bytes(priv) : priv;
  const pub = secp256k1.getPublicKey(p, false);
  return { priv: p, address: `0x${hex(keccak(pub.subarray(1)).subarray(12))}` };
}
export const derived = (seed, i) => account(Buffer.from(keccak(Buffer.from(`${seed}:${i}`))));
export function signLegacy({ nonce, gasPrice, gas, to, value = 0n, data = "0x", chainId }, priv) {
  const f = [
    intBytes(nonce),
    intBytes(gasPrice),
    intBytes(gas),
    to ? bytes(to) : Buffer.alloc(0),
    intBytes(value),
    bytes(data),
  ];
  const h = keccak(rlp([...f, intBytes(chainId), Buffer.alloc(0), Buffer.alloc(0)]));
  const s = secp256k1.sign(h, priv, { prehash: false, format: "recovered", lowS: true }); // [recid, r(32), s(32)]
  const raw = rlp([
    ...f,
    intBytes(BigInt(chainId) * 2n + 35n + BigInt(s[0])),
    trim(Buffer.from(s.subarray(1, 33))),
    trim(Buffer.from(s.subarray(33, 65))),
  ]);
  return { raw: `0x${raw.toString("hex")}`, hash: `0x${hex(keccak(raw))}` };
}
