import { expect, it } from "vitest";
import { createNode } from "../../create-node.ts";

it.each([{ maxPending: 7 }, {}])(
  "a node lends to as many bundles concurrently as %j allows",
  async (gasless) => {
    await using node = await createNode({ gasless });
    const info = await node.provider.request({ method: "debug_gaslessInfo" });
    expect(info).toMatchObject({ maxBundleTxs: gasless.maxPending ?? 100 });
  },
);
