import { heldTimes, spentMs } from "../calls/held.ts";
import { type HostileRow, hold } from "../row.ts";
import { exchange, onNode, pause } from "./attacked-node.ts";

const SCRAPERS = 32;
const STORM_MS = 5000;
/** Share of the main thread's time that metrics may take, with what it costs to send them, and the most in one piece in ms. */
const MOST = { share: 0.5, held: 60 };

/** Readers of the metrics that ask again as soon as they are answered. */
export const scrapers: HostileRow = {
  id: "L28",
  promise: "metrics are made once for all who ask within an interval, however many do",
  run: () =>
    onNode(
      async (node) => {
        const { metrics } = node.endpoints as unknown as { readonly metrics: string };
        const port = Number(new URL(metrics).port);
        const get = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let [isOver, answers] = [false, 0];
        const scrape = async (): Promise<void> => {
          while (!isOver) {
            const text = await exchange(port, get);
            hold(
              text.includes("klaytn_chain_inserts") && text.includes("kairn_head_block"),
              text.slice(0, 300),
            );
            answers++;
          }
        };
        await exchange(port, get);
        const spent = spentMs(node);
        const storm = Array.from({ length: SCRAPERS }, scrape);
        const held = await heldTimes(node, pause(STORM_MS));
        isOver = true;
        const share = (spentMs(node) - spent) / STORM_MS;
        await Promise.all(storm);
        const figure = `${SCRAPERS} readers had ${answers} answers in ${STORM_MS / 1000} s, ${Math.round(share * 100)} % of the main thread's time, held for ${Math.max(...held)} ms at most`;
        hold(share < MOST.share && Math.max(...held) < MOST.held, figure);
        return figure;
      },
      ...["--prometheus", "--prometheusport", "0"],
    ),
};
