import { expect, it } from "vitest";
import { createNode } from "../../create-node.ts";

it.each([true, false])(
  "a node says of its index of sender hashes what --sendertxhashindexing says: %s",
  async (is) => {
    await using node = await createNode({ senderTxHashIndexing: is });
    const asked = node.provider.request({ method: "kaia_isSenderTxHashIndexingEnabled" });
    expect(await asked).toBe(is);
  },
);
