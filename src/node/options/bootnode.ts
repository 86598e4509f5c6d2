import { isIP } from "node:net";
import { option } from "../../platform/config/option.ts";
import * as t from "../../platform/config/types.ts";
import type { StreamAddress } from "../../platform/runtime/network.ts";
import { accountOptions } from "./chain/account.ts";
import { dataOptions } from "./chain/data.ts";
import { networkOptions } from "./chain/network.ts";
import { isRecord } from "./conversions.ts";
import { processOptions } from "./process.ts";
import { endpointOptions } from "./service/endpoint.ts";

/** Modules of a bootnode's listeners for which none were named. */
const BOOTNODE_MODULES = ["bootnode", "net"];

/** `:32323`, `32323`, `127.0.0.1:32323` or `[::1]:32323`. */
const udpAddress: t.OptionType<StreamAddress> = {
  placeholder: "[IP]:PORT",
  accepts: { what: "an address", test: isRecord },
  parse(text) {
    const colon = text.lastIndexOf(":");
    const name = text.slice(0, Math.max(0, colon));
    const host = name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
    if (host !== "" && isIP(host) === 0) throw new Error("an address such as :32323 or 127.0.0.1:32323");
    return { host: host || networkOptions.p2pAddress.default, port: t.port.parse(text.slice(colon + 1)) };
  },
  format: ({ host, port }) =>
    host === "::" ? `:${port}` : `${host.includes(":") ? `[${host}]` : host}:${port}`,
};

/** Options of a bootnode only. */
export const bootnodeOnlyOptions = {
  bnAddress: option({
    flag: "bnaddr",
    env: ["BN_ADDR"],
    type: udpAddress,
    default: { host: networkOptions.p2pAddress.default, port: networkOptions.p2pPort.default },
    doc: "UDP address on which nodes query it; port 0 picks a free one.",
  }),
  authorizedNodes: option({
    flag: "authorized-nodes",
    env: ["AUTHORIZED_NODES"],
    type: { ...t.list, placeholder: "URL,..." },
    default: [],
    doc:
      "Consensus nodes and proxies (kni://…?ntype=cn) to give out; once one of a type is listed, no others of that " +
      "type are. By default all are.",
  }),
  genKey: option({
    flag: "genkey",
    type: t.path,
    default: undefined,
    doc: "Writes a new private key to a file and exits.",
  }),
  writeAddress: option({
    flag: "writeaddress",
    type: t.boolean,
    default: false,
    doc: "Prints the node's public key, by which others refer to it, and exits.",
  }),
} as const;

const { dataDir, networkId } = dataOptions;
const { nodeKeyFile, nodeKeyHex } = accountOptions;
const { netRestrict, bootnodes, nat } = networkOptions;
const { http, httpAddress, httpPort, httpModules, httpVirtualHosts, httpCorsDomains } = endpointOptions;
const { ws, wsAddress, wsPort, wsModules, wsOrigins, ipcPath, ipcDisabled, allowExposed } = endpointOptions;
const { verbosity, logFormat } = processOptions;

/** Every option of a bootnode, under kbn's names. */
export const bootnodeOptions = {
  ...bootnodeOnlyOptions,
  ...{ dataDir, networkId, nodeKeyFile, nodeKeyHex, netRestrict, nat },
  bootnodes: { ...bootnodes, doc: "Other bootnodes, to which this one makes itself known (kni://…)." },
  ...{ http, httpAddress, httpPort, httpVirtualHosts, httpCorsDomains },
  httpModules: { ...httpModules, default: BOOTNODE_MODULES },
  ...{ ws, wsAddress, wsPort, wsOrigins, ipcPath, ipcDisabled, allowExposed },
  wsModules: { ...wsModules, default: BOOTNODE_MODULES },
  ...{ verbosity, logFormat },
} as const;
