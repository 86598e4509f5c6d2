import { expect, it } from "vitest";
import { createNode } from "../../index.ts";

const TO = "0x10000000000000000000000000000000000000aa";
/** Hashes 1,024 bytes for 222 gas until 500,000,000 are spent, which takes seconds in either engine. */
const LOOP = [{ to: TO, gas: "0x1dcd6500" }, "latest", { [TO]: { code: "0x5b6104005f20505f56" } }];

it("fails the running call and the queued one when the node stops", async () => {
  const node = await createNode({
    dev: { timestamp: 1_700_000_000n },
    sealing: { kind: "manual" },
    ...{ maxCalls: 1, evmTimeoutMs: 60_000, gasCap: 10n ** 12n },
  });
  const answers = [1, 2].map(() =>
    node.provider
      .request({ method: "eth_call", params: LOOP })
      .catch(({ code, message }) => ({ code, message })),
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  await node.stop();
  const stopping = { code: -32005, message: expect.stringMatching("stopping|disconnected") };
  expect(await Promise.all(answers)).toEqual([stopping, stopping]);
});
