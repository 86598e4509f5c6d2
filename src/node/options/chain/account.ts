import { option } from "../../../platform/config/option.ts";
import * as t from "../../../platform/config/types.ts";
import { isBlsSecretKey } from "../../../protocol/crypto/bls.ts";
import { isPrivateKey } from "../../../protocol/crypto/secp256k1.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { DEFAULT_DERIVATION_LIMITS } from "../../../wallet/keystore/derivation-turns.ts";
import { hasMethods } from "../conversions.ts";
import { nodeOption } from "../member.ts";
import { parseKey, readKeyFile } from "../secret-files.ts";

const key = keyOf(isPrivateKey);
const blsKey = keyOf(isBlsSecretKey);

/** A URL of HTTP, or a path: with a slash, or as clef names its socket. */
const signer = t.textOf(
  "a URL beginning with http:// or https://, or the path of a socket, such as ./clef.ipc",
  (text) => (text.includes("://") ? t.httpUrl.accepts.test(text) : /[\\/]|\.ipc$/.test(text)),
);

/** The node key, and the accounts unlocked at the start. */
export const accountOptions = {
  nodeKeyFile: nodeOption({
    member: "nodeKey",
    flag: "nodekey",
    env: ["NODE_KEY"],
    type: t.path,
    default: undefined,
    doc: "File of the node's private key; by default `nodekey` in the data folder.",
    excludes: ["nodekeyhex"],
    accepts: key,
    as: (path) => readKeyFile(path, "--nodekey"),
  }),
  nodeKeyHex: nodeOption({
    member: "nodeKey",
    flag: "nodekeyhex",
    env: ["NODE_KEY_HEX"],
    type: t.string,
    default: undefined,
    doc: "The node's private key as hex.",
    secret: true,
    accepts: key,
    as: (hex) => parseKey(hex, "--nodekeyhex"),
  }),
  blsNodeKeyFile: nodeOption({
    member: "blsNodeKey",
    flag: "bls-nodekey",
    env: ["BLS_NODE_KEY"],
    type: t.path,
    default: undefined,
    doc:
      "File of the BLS key with which a validator signs its random reveal; by default `bls-nodekey` in the data " +
      "folder, else one derived from the node's key.",
    excludes: ["bls-nodekeyhex"],
    accepts: blsKey,
    as: (path) => readKeyFile(path, "--bls-nodekey", isBlsSecretKey),
  }),
  blsNodeKeyHex: nodeOption({
    member: "blsNodeKey",
    flag: "bls-nodekeyhex",
    env: ["BLS_NODE_KEY_HEX"],
    type: t.string,
    default: undefined,
    doc: "The same as hex.",
    secret: true,
    accepts: blsKey,
    as: (hex) => parseKey(hex, "--bls-nodekeyhex", isBlsSecretKey),
  }),
  rewardbase: nodeOption({
    member: "rewardbase",
    flag: "rewardbase",
    env: ["REWARDBASE"],
    type: t.address,
    default: undefined,
    doc: "Account that receives block rewards; by default the node's own address.",
    as: hexToBytes,
  }),
  usb: nodeOption({
    member: "usb",
    flag: "usb",
    env: ["USB"],
    type: t.boolean,
    default: false,
    accepts: {
      what: "true, false or a bus with the methods devices and open",
      test: (value) => typeof value === "boolean" || hasMethods(value, ["devices", "open"]),
    },
    doc: "Looks for hardware wallets (Ledger, Trezor) on USB.",
  }),
  unlock: option({
    flag: "unlock",
    env: ["UNLOCK"],
    type: t.list,
    default: [],
    doc: "Accounts to unlock at start.",
  }),
  allowInsecureUnlock: nodeOption({
    member: "allowInsecureUnlock",
    flag: "allow-insecure-unlock",
    env: ["ALLOW_INSECURE_UNLOCK"],
    type: t.boolean,
    default: false,
    doc: "Lets accounts be unlocked while other machines can reach HTTP or WebSocket.",
  }),
  unlockMaxSeconds: nodeOption({
    member: "unlockMaxSeconds",
    flag: "unlock.max",
    env: ["UNLOCK_MAX"],
    type: t.integer(1, 2 ** 31 - 1, "SECONDS"),
    default: undefined,
    doc: "Longest time for which personal_unlockAccount unlocks an account; by default as long as the caller asks.",
  }),
  kdfConcurrent: nodeOption({
    member: "keyDerivation.concurrent",
    flag: "kdf.concurrent",
    type: t.integer(2, 64),
    default: DEFAULT_DERIVATION_LIMITS.concurrent,
    doc: "Maximum number of passphrases checked at once, each with 256 MiB; one place is kept for IPC.",
  }),
  kdfWaiting: nodeOption({
    member: "keyDerivation.waiting",
    flag: "kdf.queue",
    type: t.integer(0, 10_000),
    default: DEFAULT_DERIVATION_LIMITS.waiting,
    doc: "Maximum number of passphrases over HTTP and WebSocket that wait to be checked, half of them of one client.",
  }),
  signer: nodeOption({
    member: "signer",
    flag: "signer",
    env: ["SIGNER"],
    type: { ...signer, parse: (text) => (text === "" ? "" : signer.parse(text)) },
    accepts: signer.accepts,
    default: undefined,
    doc: "External signer that keeps keys out of the node: URL of clef or Web3Signer, or clef's socket.",
    secret: true,
    as: (endpoint) => endpoint || undefined,
  }),
  passwordFile: option({
    flag: "password",
    env: ["PASSWORD_FILE"],
    type: t.path,
    default: undefined,
    doc: "File of passphrases for --unlock, one per line.",
  }),
} as const;

function keyOf(isInRange: (key: Uint8Array) => boolean): t.Accepted {
  const { test } = t.bytesOf(32, "");
  return {
    what: "a key of 32 bytes between 0 and the order of its curve",
    test: (value) => test(value) && isInRange(value as Uint8Array),
  };
}
