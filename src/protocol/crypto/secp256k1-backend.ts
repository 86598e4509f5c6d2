import { allocateBytes, concat } from "../primitives/bytes.ts";
import { sharedBatches } from "./recovery/batch-recovery.ts";
import type { Secp256k1Backend } from "./secp256k1-interface.ts";
import { type NobleModule, nobleBackend } from "./secp256k1-noble.ts";

/** The native library's JavaScript interface, as far as it is used here. */
interface NativeModule {
  ecdsaSign(
    hash: Uint8Array,
    key: Uint8Array,
    options: object,
    output: Uint8Array,
  ): { readonly signature: Uint8Array; readonly recid: number };
  ecdsaRecover(signature: Uint8Array, recid: number, hash: Uint8Array, compressed: boolean): Uint8Array;
  ecdsaVerify(signature: Uint8Array, hash: Uint8Array, publicKey: Uint8Array): boolean;
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyConvert(publicKey: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyVerify(publicKey: Uint8Array): boolean;
  privateKeyVerify(key: Uint8Array): boolean;
  publicKeyTweakMul(publicKey: Uint8Array, tweak: Uint8Array, compressed: boolean): Uint8Array;
}

type Require = (name: string) => unknown;
/** RFC 6979 without extra entropy. */
const NO_OPTIONS = {};

interface NodeProcess {
  getBuiltinModule?(name: "node:module"): { createRequire(from: string): Require } | undefined;
}

/**
 * The native library if its binary loads (23 times faster at recovery), else the portable one. Nothing is loaded
 * before this is called, so commands that do not sign start faster. `scripts/build.mjs` replaces this file with
 * `secp256k1-backend.browser.ts` in the typed client, so that a browser bundle gets that one.
 */
export function loadBackend(): Secp256k1Backend {
  const { process } = globalThis as { readonly process?: NodeProcess };
  const load = process?.getBuiltinModule?.("node:module")?.createRequire(import.meta.url);
  if (load === undefined) throw new Error("no secp256k1 library for this platform");
  try {
    return nativeBackend(load("secp256k1/bindings.js") as NativeModule);
  } catch {
    return recoveringInBatches(nobleBackend(load("@noble/curves/secp256k1.js") as NobleModule));
  }
}

/** The portable library, except that it recovers with a batch of one, which takes a sixth of the time. */
export function recoveringInBatches(portable: Secp256k1Backend): Secp256k1Backend {
  return {
    ...portable,
    recover(hash, signature, recid) {
      const [key] = sharedBatches().recover([{ hash, rs: signature, recid }]);
      if (key === "unclear") return portable.recover(hash, signature, recid);
      if (key === undefined) throw new Error("no key fits the signature");
      return concat(UNCOMPRESSED, key);
    },
  };
}

/** First byte of a key of 65 bytes. */
const UNCOMPRESSED = Uint8Array.of(4);

function nativeBackend(native: NativeModule): Secp256k1Backend {
  // V8 moves a small array out of its heap when native code first accesses it, which costs as much as the rest of the
  // call: so these two buffers are reused.
  const message = new Uint8Array(32);
  const output = new Uint8Array(64);
  return {
    name: "native",
    sign(hash, privateKey) {
      if (hash.length !== 32) throw new RangeError("a hash of 32 bytes is signed");
      message.set(hash);
      const { recid } = native.ecdsaSign(message, privateKey, NO_OPTIONS, output);
      const signed = allocateBytes(65);
      signed.set(output);
      signed[64] = recid & 1;
      return signed;
    },
    recover: (hash, signature, recid) => native.ecdsaRecover(signature, recid, hash, false),
    verify(hash, signature, publicKey) {
      try {
        return native.ecdsaVerify(signature, hash, publicKey);
      } catch {
        return false;
      }
    },
    publicKey: (privateKey) => native.publicKeyCreate(privateKey, false),
    decompress: (publicKey) => native.publicKeyConvert(publicKey, false),
    isPublicKey: (publicKey) => native.publicKeyVerify(publicKey),
    isPrivateKey: (privateKey) => native.privateKeyVerify(privateKey),
    sharedSecret: (privateKey, publicKey) =>
      native.publicKeyTweakMul(publicKey, privateKey, false).subarray(1, 33),
  };
}
