import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as noble from "@noble/curves/secp256k1.js";
import { loadBackend } from "../../../../src/protocol/crypto/secp256k1-backend.ts";
import { nobleBackend } from "../../../../src/protocol/crypto/secp256k1-noble.ts";
import { bytesToHex } from "../../../../src/protocol/primitives/hex.ts";
import { createKeyDeriver } from "../../../../src/wallet/keystore/key-derivation.ts";
import { decryptKeyFile } from "../../../../src/wallet/keystore/private-keys.ts";
import { Passphrase } from "../../../../src/wallet/passphrase.ts";
import { type HostileRow, hold } from "../row.ts";

const root = new URL("../../../../", import.meta.url).pathname;
const ORDER = noble.secp256k1.Point.Fn.ORDER;

interface KeyFileCase {
  readonly name: string;
  readonly json: { keyring?: { mac: string }[][] };
  readonly password: string;
}

function keyFile(name: string): KeyFileCase {
  const path = join(root, "test/fixtures/vectors/keystore/keyfiles.json");
  const { cases } = JSON.parse(readFileSync(path, "utf8")) as { cases: KeyFileCase[] };
  return structuredClone(cases.find((one) => one.name === name) as KeyFileCase);
}

/** Errors for a wrong passphrase, and for the right one with a damaged MAC. */
async function macs(): Promise<string> {
  const deriver = createKeyDeriver();
  const refusal = async ({ json, password }: Pick<KeyFileCase, "json" | "password">) => {
    const began = performance.now();
    const text = await decryptKeyFile(JSON.stringify(json), new Passphrase(password), deriver).then(
      () => "opened",
      (error: Error) => error.message,
    );
    return { text, ms: performance.now() - began };
  };
  const { json, password } = keyFile("v4-single-light");
  const flipped = structuredClone(json);
  const sealed = flipped.keyring?.[0]?.[0] as { mac: string };
  sealed.mac = (sealed.mac[0] === "0" ? "1" : "0") + sealed.mac.slice(1);
  const texts = new Set<string>();
  const took = { passphrase: [] as number[], mac: [] as number[] };
  for (let i = 0; i < 10; i++) {
    const [wrong, damaged] = [
      await refusal({ json, password: "wrong" }),
      await refusal({ json: flipped, password }),
    ];
    texts.add(wrong.text).add(damaged.text);
    took.passphrase.push(wrong.ms);
    took.mac.push(damaged.ms);
  }
  hold(texts.size === 1 && texts.has("could not decrypt key with given passphrase"), [...texts].join());
  const source = readFileSync(join(root, "src/wallet/keystore/sealed-key.ts"), "utf8");
  hold(source.includes("timingSafeEqual(mac, expected)"), "the MAC is not compared in constant time");
  const [a, b] = [Math.min(...took.passphrase), Math.min(...took.mac)];
  // Either without its derivation, which takes nearly all of the time, would be at once.
  hold(Math.max(a, b) < 2 * Math.min(a, b), `${a.toFixed(1)} ms and ${b.toFixed(1)} ms`);
  return `one text for both; fastest of 10: wrong passphrase ${a.toFixed(1)} ms, wrong MAC ${b.toFixed(1)} ms`;
}

/** Compares the native and the portable library, and checks RFC 6979 and low s. */
async function signatures(count: number): Promise<string> {
  const native = loadBackend();
  const portable = nobleBackend(noble);
  for (let i = 0; i < count; i++) {
    const [key, hash] = [randomBytes(32), randomBytes(32)];
    if (!portable.isPrivateKey(key)) continue;
    const [one, other] = [native.sign(hash, key), portable.sign(hash, key)];
    const shown = () => `key ${bytesToHex(key)}, hash ${bytesToHex(hash)}`;
    hold(Buffer.compare(one, other) === 0, `two signatures: ${shown()}`);
    const s = BigInt(bytesToHex(one.subarray(32, 64)));
    hold(s > 0n && s <= ORDER / 2n, `high s: ${shown()}`);
    const publicKey = native.publicKey(key);
    const recovered = native.recover(hash, one.subarray(0, 64), one[64] as number);
    hold(Buffer.compare(publicKey, recovered) === 0, `another key is recovered: ${shown()}`);
    const high = new Uint8Array(one.subarray(0, 64));
    high.set(Buffer.from((ORDER - s).toString(16).padStart(64, "0"), "hex"), 32);
    for (const wrong of [high, new Uint8Array(64), new Uint8Array(64).fill(0xff)])
      hold(!native.verify(hash, wrong, publicKey), `a wrong signature is accepted: ${shown()}`);
    if (i % 200 === 0) await new Promise(setImmediate);
  }
  return `${count} signatures of ${native.name} and noble equal (RFC 6979), low s, recovered; high s, zeros and ones refused`;
}

/** Predictable random numbers. */
async function randomness(): Promise<string> {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.includes("testing/"),
  );
  const found = files.filter((name) =>
    /\bMath\s*\.\s*random\b/.test(readFileSync(join(root, "src", name), "utf8")),
  );
  hold(found.length === 0, `Math.random in ${found.join()}`);
  return `0 uses of Math.random in ${files.length} files`;
}

export const signingRows: readonly HostileRow[] = [
  { id: "K4", promise: "a wrong passphrase and a wrong MAC are indistinguishable", run: macs },
  { id: "K8", promise: "signatures follow RFC 6979 and have a low s", run: () => signatures(1000) },
  {
    id: "K8l",
    promise: "10,000 signatures follow RFC 6979 and have a low s",
    isLong: true,
    run: () => signatures(10_000),
  },
  { id: "K10", promise: "random numbers come only from the system", run: randomness },
];
