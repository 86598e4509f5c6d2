import { InvalidParamsError } from "../../../../protocol/codec/json/errors.ts";
import { list, nothing, nullable } from "../../../../protocol/codec/json/object.ts";
import { integer, small, string } from "../../../../protocol/codec/json/scalars.ts";
import { required, type Schema } from "../../../../protocol/codec/json/schema.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { method } from "../method.ts";

const ID_DIGITS = 128;
const idText = `the public key of a node (${ID_DIGITS} hex digits, with or without 0x)`;

/** A node's identity: 64 bytes in hex, which the reference writes without 0x and reads either way. */
const nodeId: Schema<Uint8Array> = {
  title: "node id",
  json: { type: "string", pattern: `^(0x)?[0-9a-fA-F]{${ID_DIGITS}}$` },
  expects: idText,
  decode(value) {
    const text = string.decode(value);
    const digits = text.startsWith("0x") ? text.slice(2) : text;
    if (digits.length !== ID_DIGITS || !/^[0-9a-fA-F]*$/.test(digits))
      throw new InvalidParamsError(`wrong length, want ${ID_DIGITS} hex chars`, {
        got: value,
        expects: idText,
      });
    return hexToBytes(`0x${digits}`);
  },
  encode: (id) => bytesToHex(id).slice(2),
};

const id = required(nodeId, "Identity of the node.");
const type = required(
  small(integer("node type", { goType: "discover.NodeType", min: 0n, max: 255n })),
  "1 = consensus node, 2 = proxy, 3 = endpoint, 4 = bootnode.",
);
const url = required(string, "kni:// URL of the node.");
const urls = required(string, "kni:// URLs, separated by commas; each with its type (`ntype=cn` or `pn`).");
const nodes = nullable(list(string, "[]*discover.Node"));
const node = nullable(string);

/** The nodes that a bootnode knows, as its operator sees them: URLs, null where there is none. */
export const bootnode = {
  name: method({ summary: "Kind of node discovery.", params: {}, result: string, scope: "node" }),
  getAuthorizedNodes: method({
    summary:
      "Authorized consensus nodes and proxies, the only ones of their type that are announced; null = all are.",
    params: {},
    result: nodes,
    scope: "node",
  }),
  putAuthorizedNodes: method({
    summary: "Authorizes nodes; once one of a type is authorized, no others of that type are announced.",
    params: { urls },
    result: nothing,
    scope: "node",
  }),
  deleteAuthorizedNodes: method({
    summary: "Withdraws the authorization of nodes.",
    params: { urls },
    result: nothing,
    scope: "node",
  }),
  resolve: method({
    summary: "A node by its identity, looked up among known nodes and by asking others.",
    params: { id, type },
    result: node,
    scope: "node",
  }),
  lookup: method({
    summary: "Looks up the nodes of a type that are closest to an identity.",
    params: { id, type },
    result: nodes,
    scope: "node",
  }),
  readRandomNodes: method({
    summary: "Some known nodes of a type.",
    params: { type },
    result: nodes,
    scope: "node",
  }),
  getNodeFromDB: method({
    summary: "The node with an identity in the database.",
    params: { id },
    result: string,
    scope: "node",
    errors: [{ code: -32000, message: "failed to retrieve the node with the given id" }],
  }),
  createUpdateNodeOnDB: method({
    summary: "Writes a node into the database.",
    params: { url },
    result: nothing,
    scope: "node",
  }),
  deleteNodeFromDB: method({
    summary: "Removes a node from the database.",
    params: { url },
    result: nothing,
    scope: "node",
  }),
  getTableEntries: method({
    summary: "All nodes of the tables.",
    params: {},
    result: nodes,
    scope: "node",
  }),
  getTableReplacements: method({
    summary: "Replacement nodes of the table of endpoints.",
    params: {},
    result: nodes,
    scope: "node",
  }),
  createUpdateNodeOnTable: method({
    summary: "Adds a node to the table of its type; an invalid URL is ignored.",
    params: { url },
    result: nothing,
    scope: "node",
  }),
  deleteNodeFromTable: method({
    summary: "Removes a node from the tables.",
    params: { url },
    result: nothing,
    scope: "node",
  }),
};
