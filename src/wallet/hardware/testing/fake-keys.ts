import { addressOfPublicKey, publicKeyOf, sign } from "../../../protocol/crypto/secp256k1.ts";
import { type Address, bigintToFixedBytes, concat } from "../../../protocol/primitives/bytes.ts";
import { derivePrivateKeys, mnemonicToSeed } from "../../hd.ts";

/** The mnemonic of the published exchanges. */
export const TEST_MNEMONIC = "test test test test test test test test test test test junk";

/** The keys of a software device, derived from a mnemonic as on a real one. */
export class FakeKeys {
  readonly #seed: Uint8Array;
  readonly #derived = new Map<string, Uint8Array>();

  constructor(mnemonic: string = TEST_MNEMONIC, passphrase = "") {
    this.#seed = mnemonicToSeed(mnemonic, passphrase);
  }

  /** The uncompressed point, x and y, 64 bytes. */
  publicKey(path: readonly number[]): Uint8Array {
    return publicKeyOf(this.#privateKey(path));
  }

  address(path: readonly number[]): Address {
    return addressOfPublicKey(this.publicKey(path));
  }

  /** The recovery bit, and r ‖ s in 64 bytes. */
  sign(path: readonly number[], hash: Uint8Array): { readonly parity: 0 | 1; readonly rs: Uint8Array } {
    const { r, s, parity } = sign(hash, this.#privateKey(path));
    return { parity, rs: concat(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32)) };
  }

  #privateKey(path: readonly number[]): Uint8Array {
    const key = this.#derived.get(path.join()) ?? this.#derive(path);
    this.#derived.set(path.join(), key);
    return key;
  }

  /** The last component is small in tests. */
  #derive(path: readonly number[]): Uint8Array {
    const last = path.at(-1) as number;
    return derivePrivateKeys(this.#seed, path.slice(0, -1), last + 1)[last] as Uint8Array;
  }
}

/** Keys of the published exchanges, derived once for all tests of a file. */
export const testKeys = new FakeKeys();
