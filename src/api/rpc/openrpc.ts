import type { Json, JsonSchema } from "../../protocol/codec/json/value.ts";
import type { Method } from "./method.ts";

/**
 * The OpenRPC 1.3.2 document of methods.
 * @param version of the node
 * @see https://spec.open-rpc.org
 */
export function openrpcDocument(
  methods: Iterable<[string, Method]>,
  version: string,
): { [key: string]: Json } {
  return {
    openrpc: "1.3.2",
    info: { title: "kairn JSON-RPC", version },
    methods: [...methods]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, method]) => describe(name, method)),
  };
}

function describe(name: string, { summary, params, result }: Method): Json {
  return {
    name,
    summary,
    paramStructure: "by-position",
    params: Object.entries(params).map(([param, { doc, optional, schema }]) => ({
      name: param,
      description: doc,
      required: !optional,
      schema: plain(schema.json),
    })),
    result: { name: result.title, schema: plain(result.json) },
  };
}

function plain(schema: JsonSchema): { [key: string]: Json } {
  return { ...schema };
}
