import { type HostileRow, hold } from "../row.ts";
import { BLOCK_NUMBER, exchange, onNode, pause, post } from "./attacked-node.ts";

const PER_SECOND = 50;

/** @returns how many calls of some batches, sent at once, were served and how many refused */
async function flood(port: number): Promise<{ answered: number; refused: number }> {
  const batch = `[${Array(100).fill(BLOCK_NUMBER).join(",")}]`;
  const texts = await Promise.all(
    Array.from({ length: 20 }, () => exchange(port, post(batch, "Connection: close\r\n"))),
  );
  const all = texts.join("");
  const count = (part: string) => all.split(part).length - 1;
  return { answered: count('"result"'), refused: count("-32005") };
}

export const rate: readonly HostileRow[] = [
  {
    id: "L10",
    promise: "--rpc.rate limits a client's calls per second, batched or not",
    run: () =>
      onNode(
        async ({ port }) => {
          await pause(2000);
          const began = performance.now();
          const { answered, refused } = await flood(port);
          const max = PER_SECOND * (1 + (performance.now() - began) / 1000);
          const figure = `${answered} of ${answered + refused} calls in batches answered, ${Math.ceil(max)} allowed`;
          hold(answered + refused === 2000 && answered >= PER_SECOND && answered <= max + 1, figure);
          await pause(1100);
          return figure;
        },
        ...["--rpc.rate", String(PER_SECOND), "--rpc.rate-loopback"],
      ),
  },
];
