// Generates the pages of docs/reference/rpc/.

import { api, bootnodeApi, devApi, streamApi, subscriptionApi } from "../../src/api/rpc/spec/api.ts";
import { debugSubscriptions } from "../../src/api/rpc/spec/debug/traces.ts";
import type { Method, Subscription, SubscriptionApi } from "../../src/api/rpc/spec/method.ts";
import type { Field, Schema, Shape } from "../../src/protocol/codec/json/schema.ts";
import type { JsonSchema } from "../../src/protocol/codec/json/value.ts";

/** Descriptions of the modules. */
const MODULES: Readonly<Record<string, string>> = {
  admin: "Operation of the node.",
  anvil: "Control of a development chain, under anvil's names.",
  auction: "Bids for a place behind a transaction; this node holds no auction, and reports that.",
  bootnode: "Data of a bootnode (`kairn bootnode`), which otherwise serves only `net` and `rpc`.",
  chaindatafetcher: "The event stream, on a node that publishes one.",
  debug: "Traces, the database and the process.",
  erigon: "Methods of Erigon that Otterscan uses; hidden by `--compat`.",
  eth: "Methods for Ethereum tools; all results have Ethereum's formats.",
  evm: "Control of a development chain, under the names of Ganache and Hardhat.",
  governance: "Parameters of the chain, and votes on them.",
  hardhat: "Control of a development chain, under Hardhat's names.",
  istanbul: "Consensus: validators, committees and proposers.",
  kaia: "The chain in Kaia's own formats. `klay_` and `chain_` are the same methods.",
  kairn: "Control of a development chain specific to Kaia.",
  miner: "Block production of this node.",
  net: "The network.",
  ots: "Methods that the explorer Otterscan uses besides `eth_`; hidden by `--compat`.",
  personal: "Keys in the node's keystore.",
  rpc: "The RPC interface itself.",
  trace:
    "Calls of transactions as flat lists, in the formats of OpenEthereum's module; hidden by `--compat`.",
  txpool: "Pending and queued transactions.",
  wallet: "Wallet methods for dApps, on development chains.",
  web3: "Version and hash function.",
};

const HEADER = "<!-- Written by `npm run docs` from src/api/rpc/spec; do not edit. -->";
const declared: Readonly<Record<string, Method>> = { ...api, ...devApi, ...bootnodeApi, ...streamApi };

/** All pages by file name. */
export function referencePages(): ReadonlyMap<string, string> {
  const modules = [...new Set(Object.keys(declared).map(moduleOf))].sort();
  const pages = new Map(modules.map((module) => [`${module}.md`, modulePage(module)]));
  return new Map([["README.md", indexPage(modules)], ...pages]);
}

function moduleOf(name: string): string {
  return name.slice(0, name.indexOf("_"));
}

function methodsOf(module: string): [string, Method][] {
  return Object.entries(declared)
    .filter(([name]) => moduleOf(name) === module)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function indexPage(modules: readonly string[]): string {
  const rows = modules.map((module) => {
    return [`[${module}](${module}.md)`, String(methodsOf(module).length), MODULES[module] ?? ""];
  });
  const scalars = [...scalarTypes().values()].sort((a, b) => (a.title < b.title ? -1 : 1));
  return page([
    HEADER,
    "# JSON-RPC reference",
    "The same declarations validate the arguments of every call, generate this reference, and provide the OpenRPC " +
      "document that\n`rpc_discover` returns for the caller's transport.",
    table(["module", "methods", ""], rows),
    "Arguments are positional. Any method may return -32602 with a message that gives the position of an invalid " +
      "argument, and\n`error.data.hint`, which names the parameter and the expected value; an unknown method returns " +
      "-32601, with a hint if its\nname resembles a known one.",
    "## Types",
    table(
      ["type", "values"],
      scalars.map(({ title, expects }) => [`<a id="${slug(title)}"></a>\`${title}\``, expects]),
    ),
  ]);
}

function modulePage(module: string): string {
  const methods = methodsOf(module);
  const types = new Map<string, JsonSchema>();
  const parts = methods.map(([name, method]) => methodPart(name, method, types));
  const subscriptions = SUBSCRIPTIONS[module];
  if (subscriptions) parts.push(subscriptionPart(module, subscriptions, types));
  return page([HEADER, `# ${module}`, MODULES[module] ?? "", ...parts, ...typeParts(types)]);
}

function methodPart(name: string, method: Method, types: Map<string, JsonSchema>): string {
  const { summary, params, result, errors = [], example, scope, unsafe } = method;
  const notes = [
    ...(name in devApi ? ["Development chains only."] : []),
    ...(name in streamApi ? ["With `--chaindatafetcher` only."] : []),
    ...(scope === "host" ? ["Over IPC and in the process only, unless `--rpc.unsafe-host` is given."] : []),
    ...(unsafe && scope !== "host" ? ["Over IPC only with `--rpc.unsafe-debug.disable`."] : []),
  ];
  return page([
    `## ${name}`,
    [summary, ...notes].join(" "),
    paramsTable(params, types),
    `Result: ${typeText(result, types)}${describedBy(result)}`,
    ...(errors.length > 0
      ? [errors.map(({ code, message }) => `- error ${code}: ${message.trim()}`).join("\n")]
      : []),
    ...(example
      ? [
          `\`\`\`text\n${name}(${example.params.map(compact).join(", ")})\n→ ${compact(example.result)}\n\`\`\``,
        ]
      : []),
  ]).trimEnd();
}

/** The description of a result without declared members. */
function describedBy({ json }: Schema<unknown>): string {
  const shown = (json["anyOf"] as JsonSchema[] | undefined)?.[0] ?? json;
  return shown["properties"] === undefined && shown["description"] !== undefined
    ? `: ${shown["description"]}`
    : "";
}

function compact(value: unknown): string {
  return JSON.stringify(value);
}

/** Modules with subscriptions. */
const SUBSCRIPTIONS: Readonly<Record<string, SubscriptionApi>> = {
  eth: subscriptionApi,
  kaia: subscriptionApi,
  debug: debugSubscriptions,
};

function subscriptionPart(
  module: string,
  subscriptions: SubscriptionApi,
  types: Map<string, JsonSchema>,
): string {
  const rows = Object.entries(subscriptions).map(
    ([name, { summary, params, event }]: [string, Subscription]) => {
      const taken = Object.values(params).map(({ schema }) => typeText(schema, types));
      return [`\`${name}\``, taken.join(", "), typeText(event, types), summary];
    },
  );
  return page([
    `## ${module}_subscribe`,
    `Over WebSocket, IPC and in the process. \`${module}_unsubscribe(id)\` ends a subscription.`,
    table(["name", "argument", "event", ""], rows),
  ]).trimEnd();
}

function paramsTable(params: Shape, types: Map<string, JsonSchema>): string {
  const rows = Object.entries(params).map(([name, { schema, doc, optional }]: [string, Field<unknown>]) => [
    `\`${name}\`${optional ? " (optional)" : ""}`,
    typeText(schema, types),
    doc,
  ]);
  return rows.length === 0 ? "" : table(["parameter", "type", ""], rows);
}

/** A type as a link to its description; objects are collected in `types` for the end of the page. */
function typeText(schema: Schema<unknown>, types: Map<string, JsonSchema>): string {
  return linked(schema.title, schema.json, types);
}

function linked(title: string, json: JsonSchema, types: Map<string, JsonSchema>): string {
  if (json["properties"] !== undefined) {
    types.set(title, json);
    return `[${title}](#${slug(title)})`;
  }
  const values = json["additionalProperties"] as JsonSchema | undefined;
  if (values?.["properties"] !== undefined)
    return `${scalarLink(title)} of ${linked(String(values["title"]), values, types)}`;
  const [, element] = /^(.*)(?:\[\]| or null)$/.exec(title) ?? [];
  const inner = (json["items"] ?? (json["anyOf"] as JsonSchema[] | undefined)?.[0]) as JsonSchema | undefined;
  if (element !== undefined && inner !== undefined)
    return `${linked(element, inner, types)}${title.slice(element.length)}`;
  return scalarLink(title);
}

function scalarLink(title: string): string {
  return scalarTypes().has(title) ? `[${title}](README.md#${slug(title)})` : title;
}

/** The object types of a page, including those of their members. */
function typeParts(types: Map<string, JsonSchema>): string[] {
  const parts = new Map<string, string>();
  for (const [title, json] of types) parts.set(title, typePart(title, json, types)); // grows while it runs
  if (parts.size === 0) return [];
  return ["# Types", ...[...parts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part)];
}

function typePart(title: string, json: JsonSchema, types: Map<string, JsonSchema>): string {
  const needed = new Set(json["required"] as string[] | undefined);
  const rows = Object.entries(json["properties"] as Record<string, JsonSchema>).map(([name, member]) => [
    `\`${name}\`${needed.has(name) ? "" : " (optional)"}`,
    memberText(member, types),
    String(member["description"] ?? ""),
  ]);
  return page([`## ${title}`, table(["member", "type", ""], rows)]).trimEnd();
}

function memberText(json: JsonSchema, types: Map<string, JsonSchema>): string {
  const { description: _, ...bare } = json;
  const element = bare["items"] as JsonSchema | undefined;
  if (element !== undefined) {
    const text = memberText(element, types);
    return text.includes(" or ") ? `(${text})[]` : `${text}[]`;
  }
  if (bare["title"] !== undefined) return linked(String(bare["title"]), bare, types);
  const [first, second] = (bare["anyOf"] as JsonSchema[] | undefined) ?? [];
  if (first !== undefined) {
    const isMaybe = second?.["type"] === "null";
    return `${memberText(first, types)} or ${isMaybe || second === undefined ? "null" : memberText(second, types)}`;
  }
  const known = [...scalarTypes().values()].find((schema) => isAlike(schema.json, bare));
  return known === undefined ? String(bare["type"] ?? "value") : linked(known.title, bare, types);
}

/** Numbers of different widths are the same type in the reference. */
function isAlike({ maxLength: _, ...a }: JsonSchema, { maxLength: __, ...b }: JsonSchema): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

let scalars: Map<string, Schema<unknown>> | undefined;

/** Types without members that are parameters, by title. */
function scalarTypes(): Map<string, Schema<unknown>> {
  if (scalars !== undefined) return scalars;
  scalars = new Map();
  const events = [...Object.values(subscriptionApi), ...Object.values(debugSubscriptions)] as Subscription[];
  const methods = [...Object.values(declared), ...events];
  for (const { params } of methods)
    for (const { schema } of Object.values(params) as Field<unknown>[])
      if (schema.json["properties"] === undefined && !schema.title.endsWith("[]"))
        scalars.set(schema.title, schema);
  return scalars;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** The anchor that GitHub gives a heading. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, "")
    .replaceAll(" ", "-");
}

function page(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
