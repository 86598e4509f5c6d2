import { createHmac, pbkdf2Sync } from "node:crypto";
import { CURVE_ORDER } from "../protocol/crypto/curve.ts";
import { compressPublicKey, publicKeyOf } from "../protocol/crypto/secp256k1.ts";
import { bigintToFixedBytes, bytesToBigint } from "../protocol/primitives/bytes.ts";
import { type DerivationPath, HARDENED } from "./derivation-path.ts";
import { WalletError } from "./errors.ts";

/** Characters of a mnemonic: 24 words of eight letters, and as much white space again. */
export const MAX_MNEMONIC = 500;

/** Root path of Ethereum accounts, `m/44'/60'/0'/0`. */
export const ETHEREUM_ROOT_PATH: DerivationPath = [44 + HARDENED, 60 + HARDENED, HARDENED, 0];

interface Node {
  readonly privateKey: Uint8Array;
  readonly chainCode: Uint8Array;
}

/**
 * The 64-byte seed of a mnemonic, whose words and checksum are not checked here.
 * @see BIP-39
 */
export function mnemonicToSeed(mnemonic: string, passphrase = ""): Uint8Array {
  const salt = `mnemonic${passphrase.normalize("NFKD")}`;
  return pbkdf2Sync(mnemonic.normalize("NFKD"), salt, 2048, 64, "sha512");
}

/**
 * Private keys of the accounts `root/0`, `root/1`, … of a seed.
 * @throws WalletError `DERIVATION_PATH` if a path yields no valid key (probability below 2^-127)
 * @see BIP-32
 */
export function derivePrivateKeys(seed: Uint8Array, root: DerivationPath, count: number): Uint8Array[] {
  const master = split(createHmac("sha512", "Bitcoin seed").update(seed).digest());
  const parent = root.reduce<Node>((node, index) => child(node, index), {
    privateKey: master.left,
    chainCode: master.right,
  });
  const publicKey = compressPublicKey(publicKeyOf(parent.privateKey));
  return Array.from({ length: count }, (_, index) => child(parent, index, publicKey).privateKey);
}

/**
 * Checks the words and the checksum of a mnemonic.
 * @returns its words in lower case, separated by one space
 * @throws WalletError `MNEMONIC`
 */
export async function checkMnemonic(text: string): Promise<string> {
  if (text.length > MAX_MNEMONIC)
    throw new WalletError("MNEMONIC", `invalid mnemonic: it is longer than ${MAX_MNEMONIC} characters`);
  const mnemonic = text.trim().toLowerCase().split(/\s+/).join(" ");
  const [{ validateMnemonic }, { wordlist }] = await loadBip39();
  if (validateMnemonic(mnemonic, wordlist)) return mnemonic;
  const words = new Set(wordlist);
  const unknown = mnemonic.split(" ").filter((word) => !words.has(word));
  const reason =
    unknown.length > 0
      ? `${unknown.length} of its words ${unknown.length === 1 ? "is" : "are"} not in the English word list`
      : "its number of words or its checksum is wrong";
  throw new WalletError("MNEMONIC", `invalid mnemonic: ${reason}`);
}

/** The mnemonic of some entropy: 12 words for 16 bytes, 24 for 32. */
export async function entropyToMnemonic(entropy: Uint8Array): Promise<string> {
  const [bip39, { wordlist }] = await loadBip39();
  return bip39.entropyToMnemonic(entropy, wordlist);
}

/** The word list is needed only for mnemonics that are not built in. */
function loadBip39() {
  return Promise.all([import("@scure/bip39"), import("@scure/bip39/wordlists/english.js")]);
}

/** @param publicKey - compressed, of the parent, if known already */
function child({ privateKey, chainCode }: Node, index: number, publicKey?: Uint8Array): Node {
  const hmac = createHmac("sha512", chainCode);
  if (index >= HARDENED) hmac.update(Uint8Array.of(0)).update(privateKey);
  else hmac.update(publicKey ?? compressPublicKey(publicKeyOf(privateKey)));
  const { left, right } = split(hmac.update(bigintToFixedBytes(BigInt(index), 4)).digest());
  const tweak = bytesToBigint(left);
  const key = (tweak + bytesToBigint(privateKey)) % CURVE_ORDER;
  if (tweak >= CURVE_ORDER || key === 0n)
    throw new WalletError("DERIVATION_PATH", `no key at index ${index}`);
  return { privateKey: bigintToFixedBytes(key, 32), chainCode: right };
}

function split(digest: Uint8Array): { left: Uint8Array; right: Uint8Array } {
  return { left: digest.subarray(0, 32), right: digest.subarray(32) };
}
