import { afterAll, beforeAll, expect, it } from "vitest";
import { createNode, type Node } from "../../../node/create-node.ts";
import type { Field, Json } from "../../../protocol/codec/json/schema.ts";
import { api, devApi } from "../spec/api.ts";
import { parameters } from "./arguments.ts";

let node: Node;
beforeAll(async () => {
  node = await createNode();
});
afterAll(() => node.stop());

interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly hint: string };
}

/** Methods with a required first parameter: they never run here. */
const methods = Object.entries({ ...api, ...devApi }).flatMap(([name, { params }]) => {
  const { names, fields } = parameters(params);
  return fields[0]?.optional === false ? [{ name, first: names[0] as string, field: fields[0] }] : [];
});
const CANDIDATES: readonly Json[] = [[], {}, true, "not of this type", 1.5, -1];

/** A value that a parameter rejects. */
function wrongValue({ schema }: Field<unknown>): Json | undefined {
  return CANDIDATES.find((value) => {
    try {
      schema.decode(value);
      return false;
    } catch {
      return true;
    }
  });
}

function refusal(method: string, params: readonly Json[]): Promise<Refusal> {
  return node.provider.request({ method, params }).then(
    (result) => {
      throw new Error(`${method} returned ${JSON.stringify(result)}`);
    },
    (error: Refusal) => error,
  );
}

it("covers most methods", () => {
  expect(methods.length).toBeGreaterThan(150);
});

it.each(methods)(
  "$name names its first parameter when that is missing or wrong",
  async ({ name, first, field }) => {
    const missing = await refusal(name, []);
    expect(missing).toMatchObject({ code: -32602, message: "missing value for required argument 0" });
    expect(missing.data?.hint).toContain(
      `Parameter 1 (${first}) is missing; it expects ${field.schema.expects}`,
    );
    const wrong = wrongValue(field);
    if (wrong === undefined) return;
    const refused = await refusal(name, [wrong]);
    expect(refused.code).toBe(-32602);
    expect(refused.message).toMatch(/^(invalid argument 0: |missing value for required argument )/);
    expect(refused.data?.hint).toMatch(/^Parameter \d+ \(\w+(\.\w+)*\) /);
    expect(JSON.stringify([refused.message, refused.data])).not.toMatch(/\.ts|\.js|node_modules| at .*:\d+/);
  },
);
