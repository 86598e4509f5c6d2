import { describe, expect, it } from "vitest";
import { addressOfPublicKey, publicKeyOf } from "../protocol/crypto/secp256k1.ts";
import { bytesToHex, hexToBytes } from "../protocol/primitives/hex.ts";
import { DEFAULT_ROOT_PATH, HARDENED } from "./derivation-path.ts";
import {
  checkMnemonic,
  derivePrivateKeys,
  ETHEREUM_ROOT_PATH,
  entropyToMnemonic,
  mnemonicToSeed,
} from "./hd.ts";

const JUNK = "test test test test test test test test test test test junk";
const ABANDON = `${"abandon ".repeat(11)}about`;
const addressOf = (privateKey: Uint8Array | undefined) =>
  bytesToHex(addressOfPublicKey(publicKeyOf(privateKey as Uint8Array)));

describe("hierarchical keys", () => {
  it("stretches a mnemonic as in BIP-39's vectors", () => {
    expect(bytesToHex(mnemonicToSeed(ABANDON, "TREZOR"))).toBe(
      "0xc55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04",
    );
  });

  it("derives as in BIP-32's first vector", () => {
    const seed = hexToBytes("0x000102030405060708090a0b0c0d0e0f");
    const [, first] = derivePrivateKeys(seed, [HARDENED], 2);
    expect(bytesToHex(first as Uint8Array)).toBe(
      "0x3c6cb8d0f6a264c91ea8b5030fadaa8e538b020f0a387421a12de9319dc93368",
    );
  });

  it("derives the well-known development accounts", () => {
    const keys = derivePrivateKeys(mnemonicToSeed(JUNK), ETHEREUM_ROOT_PATH, 10);
    expect(keys.length).toBe(10);
    expect(addressOf(keys[0])).toBe("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
    expect(addressOf(keys[1])).toBe("0x70997970c51812dc3a010c7d01b50e0d17dc79c8");
    expect(addressOf(keys[9])).toBe("0xa0ee7a142d267c1f36714e4a8f75612f20a79720");
  });

  it("derives the account of Kaia's own path", () => {
    const [first] = derivePrivateKeys(mnemonicToSeed(JUNK), DEFAULT_ROOT_PATH, 1);
    expect(addressOf(first)).toBe("0xe24b81af2e5327f6c814f5711badfe4107ad3bb2");
  });

  it("checks words and checksum without repeating the words", async () => {
    expect(await checkMnemonic(`  ${JUNK.toUpperCase()}\n`)).toBe(JUNK);
    await expect(checkMnemonic(JUNK.replace("junk", "kaia"))).rejects.toMatchObject({
      code: "MNEMONIC",
      message: "invalid mnemonic: 1 of its words is not in the English word list",
    });
    await expect(checkMnemonic(JUNK.replace("junk", "test"))).rejects.toThrowError("checksum");
    await expect(checkMnemonic("test ".repeat(101))).rejects.toThrowError("longer than 500 characters");
  });

  it("converts entropy to words", async () => {
    expect(await entropyToMnemonic(new Uint8Array(16))).toBe(ABANDON);
    expect((await entropyToMnemonic(new Uint8Array(32))).split(" ").length).toBe(24);
  });
});
