import { option } from "../../../platform/config/option.ts";
import * as t from "../../../platform/config/types.ts";
import { absolute } from "../conversions.ts";
import { nodeOption, withoutEffect } from "../member.ts";

/** Where the node keeps its data and which chain that is. */
export const dataOptions = {
  dataDir: option({
    flag: "datadir",
    env: ["DATA_DIR"],
    type: t.path,
    default: undefined,
    doc: "Folder of the chain, the keystore and the IPC socket; by default one per user.",
  }),
  keystoreDir: nodeOption({
    member: "keystoreDir",
    flag: "keystore",
    env: ["KEYSTORE_DIR"],
    type: t.path,
    default: undefined,
    doc: "Folder of the key files; by default `keystore` in the data folder.",
    as: absolute,
  }),
  lightKdf: nodeOption({
    member: "lightKdf",
    flag: "lightkdf",
    type: t.boolean,
    default: false,
    doc: "Encrypts new keys with less memory and time, and so less securely.",
  }),
  networkId: nodeOption({
    member: "networkId",
    flag: "networkid",
    env: ["NETWORK_ID"],
    type: t.bigNumber,
    default: undefined,
    doc: "Network id; by default the chain id.",
  }),
  mainnet: option({
    flag: "mainnet",
    aliases: ["cypress"],
    type: t.boolean,
    default: false,
    doc: "The Kaia main network (chain id 8217); not with kairn dev.",
  }),
  testnet: option({
    flag: "testnet",
    aliases: ["kairos", "baobab"],
    type: t.boolean,
    default: false,
    doc: "The Kairos test network (chain id 1001); not with kairn dev.",
  }),
  gcMode: nodeOption({
    member: "history",
    flag: "gcmode",
    env: ["GC_MODE"],
    type: t.oneOf("full", "archive"),
    default: undefined,
    doc: "full keeps the states of recent blocks, archive those of all blocks; by default whichever the data folder has, full in a new one.",
  }),
  senderTxHashIndexing: withoutEffect({
    flag: "sendertxhashindexing",
    env: ["SENDERTXHASHINDEXING"],
    type: t.boolean,
    default: false,
    doc: "Without effect: transactions are always found by their sender transaction hash. Kept for scripts.",
  }),
} as const;
