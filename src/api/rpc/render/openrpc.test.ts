import metaSchema from "@open-rpc/meta-schema";
import { Ajv } from "ajv";
import draft7 from "ajv/dist/refs/json-schema-draft-07.json" with { type: "json" };
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../../node/create-node.ts";
import { api, devApi } from "../spec/api.ts";
import type { Example, Method } from "../spec/method.ts";

interface Document {
  readonly methods: readonly { readonly name: string; readonly params: readonly { schema: unknown }[] }[];
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const LIMITED = ["eth", "debug"];
const declared: Readonly<Record<string, Method>> = { ...api, ...devApi };
let node: Node;
let document: Document;

beforeAll(async () => {
  node = await createNode({ http: { port: 0, modules: LIMITED }, unsafeDebugDisabled: true });
  document = (await node.provider.request({ method: "rpc_discover" })) as Document;
});
afterAll(() => node.stop());

describe("rpc_discover", () => {
  it("returns a document that satisfies OpenRPC's meta schema, with valid references", () => {
    const isValid = compileMetaSchema();
    expect(isValid({ ...document, methods: [{ name: "eth_call" }] })).toBe(false);
    isValid(document);
    expect(isValid.errors).toBeNull();
    for (const [, key] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      expect(document.components.schemas).toHaveProperty([key as string]);
  });

  it("describes what is declared and nothing else, the chain namespace under its three names", () => {
    const names = document.methods.map(({ name }) => name).filter((name) => !/_(un)?subscribe$/.test(name));
    const expected = Object.keys(declared).flatMap((name) =>
      name.startsWith("kaia_") ? ["chain", "klay", "kaia"].map((alias) => alias + name.slice(4)) : [name],
    );
    expect(names).toEqual([...new Set(expected)].sort());
  });

  it("describes only methods that exist", async () => {
    for (const { name } of document.methods) {
      const { error } = await call(node.provider, name);
      expect(error, name).not.toBe(-32601);
    }
  });

  it("describes to each caller what its transport serves", async () => {
    const names = await discoverOver(node.endpoints.http as string);
    expect(new Set(names.map((name) => name.slice(0, name.indexOf("_"))))).toEqual(
      new Set([...LIMITED, "rpc"]),
    );
    expect(names).toContain("debug_traceTransaction");
    expect(names).not.toContain("debug_setHead");
  });
});

describe("the examples", () => {
  const examples = Object.entries(declared).filter(([, { example }]) => example !== undefined);
  it.each(examples)("of %s matches a fresh development chain", async (name, { example }) => {
    const { params, result } = example as Example;
    const request = (method: string, params: readonly unknown[] = []) =>
      node.provider.request({ method, params });
    const snapshot = await request("evm_snapshot");
    const answer = await request(name, params);
    await request("evm_revert", [snapshot]);
    expect(answer).toEqual(result);
  });
});

/** OpenRPC's meta schema, with a local copy of JSON Schema draft 7 in place of the URL it refers to. */
function compileMetaSchema() {
  const $id = "https://json-schema.invalid/draft-07";
  const JSONSchemaObject = { properties: { $ref: { type: "string" } } };
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema({ ...draft7, definitions: { ...draft7.definitions, JSONSchemaObject }, $id });
  const text = JSON.stringify({ ...metaSchema, $schema: undefined });
  return ajv.compile(JSON.parse(text.replaceAll(/https:\/\/meta\.json-schema\.tools\/?/g, $id)));
}

/** Refused before the handler runs: arguments have to be an array. */
async function call(provider: Node["provider"], method: string): Promise<{ error?: number }> {
  try {
    await provider.request({ method, params: {} as never });
    return {};
  } catch (error) {
    return { error: (error as { code: number }).code };
  }
}

async function discoverOver(url: string): Promise<string[]> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "rpc_discover" }),
  });
  const { result } = (await response.json()) as { result: Document };
  return result.methods.map(({ name }) => name);
}
