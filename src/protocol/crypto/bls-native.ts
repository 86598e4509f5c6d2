import { bytesToHex } from "../primitives/hex.ts";
import { LruMap } from "../primitives/lru.ts";
import type { Bls } from "./bls-interface.ts";

/** Public keys cached as curve points: decoding one costs a twentieth of a verification. */
const KEYS = 256;

type NativeBls = Pick<Bls, "publicKey" | "sign" | "verify" | "verifyAll">;

/** The native library's JavaScript interface, as far as it is used here. */
interface NativeModule {
  readonly SecretKey: { fromBytes(bytes: Uint8Array): NativeSecretKey };
  readonly PublicKey: { fromBytes(bytes: Uint8Array, validate: boolean): object };
  readonly Signature: { fromBytes(bytes: Uint8Array, validate: boolean): object };
  verify(message: Uint8Array, publicKey: object, signature: object): boolean;
  verifyMultipleAggregateSignatures(
    sets: readonly { readonly msg: Uint8Array; readonly pk: object; readonly sig: object }[],
  ): boolean;
}

interface NativeSecretKey {
  toPublicKey(): { toBytes(): Uint8Array };
  sign(message: Uint8Array): { toBytes(): Uint8Array };
}

interface NodeProcess {
  getBuiltinModule?(
    name: "node:module",
  ): { createRequire(from: string): (name: string) => unknown } | undefined;
}

/**
 * Keys, signing and verifying by the native library (blst), thirty to a hundred times faster than the portable one;
 * undefined if its binary does not load, as in a browser. It supports only the tag of signatures; proofs of
 * possession are left to other implementations.
 */
export function loadNativeBls(): NativeBls | undefined {
  const { process } = globalThis as { readonly process?: NodeProcess };
  const load = process?.getBuiltinModule?.("node:module")?.createRequire(import.meta.url);
  try {
    return load && nativeBls(load("@chainsafe/blst") as NativeModule);
  } catch {
    return undefined;
  }
}

function nativeBls(native: NativeModule): NativeBls {
  const keys = new LruMap<string, object>(KEYS);
  /** @throws Error when it is not a key */
  const keyOf = (bytes: Uint8Array): object => {
    const name = bytesToHex(bytes);
    const known = keys.get(name);
    if (known !== undefined) return known;
    const key = native.PublicKey.fromBytes(bytes, true);
    keys.set(name, key);
    return key;
  };
  const signatureOf = (bytes: Uint8Array): object => native.Signature.fromBytes(bytes, true);
  return {
    publicKey: (secretKey) => native.SecretKey.fromBytes(secretKey).toPublicKey().toBytes(),
    sign: (message, secretKey) => native.SecretKey.fromBytes(secretKey).sign(message).toBytes(),
    verify(signature, message, publicKey) {
      try {
        return native.verify(message, keyOf(publicKey), signatureOf(signature));
      } catch {
        return false;
      }
    },
    verifyAll(signed) {
      try {
        return native.verifyMultipleAggregateSignatures(
          signed.map(({ message, publicKey, signature }) => ({
            ...{ msg: message, pk: keyOf(publicKey), sig: signatureOf(signature) },
          })),
        );
      } catch {
        return false;
      }
    },
  };
}
