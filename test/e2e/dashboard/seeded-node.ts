import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createNode, type Node } from "../../../src/node/create-node.ts";

const chain = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/chains/all-types/${name}`, import.meta.url));

/** A node that has a recorded chain with transactions of every type, and shows it to anybody. */
export async function startSeededNode(): Promise<Node> {
  const node = await createNode({
    genesis: JSON.parse(readFileSync(chain("genesis.json"), "utf8")),
    history: "archive",
    dashboard: { port: 0, publicRead: true },
  });
  await node.provider.request({ method: "admin_importChain", params: [chain("chain.rlp.gz")] });
  return node;
}
