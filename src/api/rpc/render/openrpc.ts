import type { Field, Schema, Shape } from "../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import type { Example, Method, Served, Subscription } from "../spec/method.ts";
import { SchemaComponents } from "./schema-components.ts";

type JsonObject = { [key: string]: Json };

/**
 * The OpenRPC 1.3.2 document for a caller: every available method under each of its names.
 * @param version of the node
 * @see https://spec.open-rpc.org
 */
export function openrpcDocument(served: Served, version: string): JsonObject {
  const components = new SchemaComponents();
  const methods = [
    ...[...served.methods].map(([name, { declaration }]) => describe(name, declaration, components)),
    ...subscriptionMethods(served, components),
  ];
  return {
    openrpc: "1.3.2",
    info: { title: "kairn JSON-RPC", version },
    methods: methods.sort((a, b) => ((a["name"] as string) < (b["name"] as string) ? -1 : 1)),
    components: { schemas: components.schemas() },
  };
}

function describe(name: string, declaration: Method, components: SchemaComponents): JsonObject {
  const { summary, params, result, errors, example } = declaration;
  return {
    name,
    tags: [{ name: name.slice(0, name.indexOf("_")) }],
    summary,
    paramStructure: "by-position",
    params: describeParams(params, components),
    result: { name: result.title, schema: components.reference(result) },
    ...(errors && { errors: errors.map(({ code, message }) => ({ code, message })) }),
    ...(example && { examples: [describeExample(params, result, example)] }),
  };
}

function describeParams(params: Shape, components: SchemaComponents): Json[] {
  return Object.entries(params).map(([name, { doc, optional, schema }]: [string, Field<unknown>]) => ({
    name,
    description: doc,
    required: !optional,
    schema: components.reference(schema),
  }));
}

function describeExample(params: Shape, result: Schema<unknown>, example: Example): JsonObject {
  const names = Object.keys(params);
  return {
    name: "on a fresh development chain",
    params: example.params.map((value, i) => ({ name: names[i] as string, value })),
    result: { name: result.title, value: example.result },
  };
}

/** `<namespace>_subscribe` and `_unsubscribe`, which belong to no declaration of a method. */
function subscriptionMethods({ subscriptions }: Served, components: SchemaComponents): JsonObject[] {
  const byNamespace = new Map<string, [string, Subscription][]>();
  for (const [key, { declaration }] of subscriptions) {
    const [namespace, name] = key.split(" ") as [string, string];
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), [name, declaration]]);
  }
  return [...byNamespace].flatMap(([namespace, events]) => {
    const tags = [{ name: namespace }];
    const id = { type: "string", title: "subscription id" };
    const filter = events.flatMap(([, { params }]) => Object.values(params).map(({ schema }) => schema));
    return [
      {
        name: `${namespace}_subscribe`,
        tags,
        summary: "Starts a subscription. Over WebSocket, IPC and in the process.",
        description: events.map(([name, { summary }]) => `${name}: ${summary}`).join("\n"),
        paramStructure: "by-position",
        params: [
          {
            name: "name",
            description: "Which events.",
            required: true,
            schema: { enum: events.map(([name]) => name) },
          },
          {
            name: "options",
            description: "Further arguments of the subscription.",
            required: false,
            schema: { anyOf: filter.map((schema) => components.reference(schema)) },
          },
        ],
        result: { name: "subscription id", schema: id },
      },
      {
        name: `${namespace}_unsubscribe`,
        tags,
        summary: "Ends a subscription.",
        paramStructure: "by-position",
        params: [{ name: "id", description: "Subscription to end.", required: true, schema: id }],
        result: { name: "boolean", schema: { type: "boolean" } },
      },
    ];
  }) as JsonObject[];
}
