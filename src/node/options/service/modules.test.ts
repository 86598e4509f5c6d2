import { expect, it } from "vitest";
import { createNode } from "../../create-node.ts";
import { MODULES, moduleList } from "./modules.ts";

it("lists every namespace that a node has methods in", async () => {
  await using node = await createNode();
  const { methods } = (await node.provider.request({ method: "rpc_discover" })) as {
    methods: { name: string }[];
  };
  expect([...MODULES]).toEqual([...new Set(methods.map(({ name }) => name.split("_")[0] as string))].sort());
});

it("accepts names served only by the reference node, and no others", () => {
  expect(moduleList.parse("eth, mainbridge")).toEqual(["eth", "mainbridge"]);
  expect(() => moduleList.parse("eth,persona")).toThrowError(
    "a list of modules: there is none called persona (did you mean personal?)",
  );
});
