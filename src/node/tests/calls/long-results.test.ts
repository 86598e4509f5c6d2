import { expect, it } from "vitest";
import { createNode } from "../../index.ts";

const TO = "0x10000000000000000000000000000000000000aa";
/** Returns 3 MiB of zeros. */
const LONG = [{ to: TO, gas: "0x2faf080" }, "latest", { [TO]: { code: "0x623000005ff3" } }];
const CALLS = 40;

it("lets other work have its turn between the long results of calls that come together", async () => {
  await using node = await createNode({ dev: true });
  let perTurn = 0;
  let most = 0;
  let isOver = false;
  const nextTurn = () => {
    most = Math.max(most, perTurn);
    perTurn = 0;
    if (!isOver) setImmediate(nextTurn);
  };
  setImmediate(nextTurn);
  const calls = Array.from({ length: CALLS }, async () => {
    const result = (await node.provider.request({ method: "eth_call", params: LONG })) as string;
    expect(result.length).toBe(2 + 2 * 3 * 1024 * 1024);
    perTurn++;
  });
  await Promise.all(calls);
  isOver = true;
  nextTurn();
  // some at the start, when everything is compiled, and then one in a turn
  expect(most).toBeLessThan(CALLS / 2);
});
