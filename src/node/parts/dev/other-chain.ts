import { ledger } from "../chain/ledger.ts";
import { pool } from "../chain/pool.ts";
import { development } from "../development.ts";
import { part } from "../part.ts";
import { stateFile } from "./state-file.ts";

/** On a fork, records the fork point as soon as the chain is open. */
export const forkNote = part({
  name: "fork note",
  needs: { development, ledger },
  async start({ development }) {
    await development?.note();
    return { offers: undefined };
  },
});

/** On a fork, has the remote node answer methods about its blocks. */
export const otherChain = part({
  name: "other chain",
  needs: { development, ledger, pool, stateFile },
  start({ development, ledger, pool }) {
    development?.forking.serve(ledger.chain, pool);
    return { offers: undefined };
  },
});
