import type { Bls } from "./bls-interface.ts";

/** The native library's JavaScript interface, as far as it is used here. */
interface NativeModule {
  readonly SecretKey: { fromBytes(bytes: Uint8Array): NativeSecretKey };
  readonly PublicKey: { fromBytes(bytes: Uint8Array, validate: boolean): object };
  readonly Signature: { fromBytes(bytes: Uint8Array, validate: boolean): object };
  verify(message: Uint8Array, publicKey: object, signature: object): boolean;
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
 * undefined where its binary does not load, as in a browser. It knows no tag but that of signatures, so that proofs of
 * possession stay with the portable library.
 */
export function loadNativeBls(): Pick<Bls, "publicKey" | "sign" | "verify"> | undefined {
  const { process } = globalThis as { readonly process?: NodeProcess };
  const load = process?.getBuiltinModule?.("node:module")?.createRequire(import.meta.url);
  try {
    return load && nativeBls(load("@chainsafe/blst") as NativeModule);
  } catch {
    return undefined;
  }
}

function nativeBls(native: NativeModule): Pick<Bls, "publicKey" | "sign" | "verify"> {
  return {
    publicKey: (secretKey) => native.SecretKey.fromBytes(secretKey).toPublicKey().toBytes(),
    sign: (message, secretKey) => native.SecretKey.fromBytes(secretKey).sign(message).toBytes(),
    verify(signature, message, publicKey) {
      try {
        const key = native.PublicKey.fromBytes(publicKey, true);
        return native.verify(message, key, native.Signature.fromBytes(signature, true));
      } catch {
        return false;
      }
    },
  };
}
