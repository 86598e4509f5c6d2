import { heldTimes } from "../calls/held.ts";
import { spentMs } from "../reads/rpc.ts";
import { type HostileRow, hold } from "../row.ts";
import { exchange, onNode, pause } from "./attacked-node.ts";

const SCRAPERS = 32;
/** Responses awaited in all. */
const ANSWERS = 400;
/** Requests of a single reader, with pauses so that each response is rendered anew. */
const ALONE = { readings: 10, pauseMs: 250 };
/** Maximum CPU time of the main thread: for a response in the storm, as a share of one to a single reader, and in one turn in ms. */
const MOST = { share: 0.5, held: 60 };

/** Readers of the metrics that repeat the request as soon as they have the response. */
export const scrapers: HostileRow = {
  id: "L28",
  promise: "metrics are rendered once per interval for all readers, however many there are",
  run: () =>
    onNode(
      async (node) => {
        const { metrics } = node.endpoints as unknown as { readonly metrics: string };
        const port = Number(new URL(metrics).port);
        const get = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        const scrape = async (): Promise<void> => {
          const text = await exchange(port, get);
          const isWhole = text.includes("klaytn_chain_inserts") && text.includes("kairn_head_block");
          hold(isWhole, text.slice(0, 300));
        };
        const start = spentMs(node);
        for (let i = 0; i < ALONE.readings; i++) {
          await scrape();
          await pause(ALONE.pauseMs);
        }
        const alone = (spentMs(node) - start) / ALONE.readings;
        let answers = 0;
        const scrapeOften = async (): Promise<void> => {
          for (; answers < ANSWERS; answers++) await scrape();
        };
        const before = spentMs(node);
        const storm = Promise.all(Array.from({ length: SCRAPERS }, scrapeOften));
        const held = Math.max(...(await heldTimes(node, storm)));
        const each = (spentMs(node) - before) / answers;
        const figure =
          `${each.toFixed(1)} ms of the main thread's time for each of ${answers} responses to ${SCRAPERS} readers, ` +
          `${alone.toFixed(1)} for one to a single reader; held for ${held} ms at most`;
        hold(each < MOST.share * alone && held < MOST.held, figure);
        return figure;
      },
      ...["--prometheus", "--prometheusport", "0"],
    ),
};
