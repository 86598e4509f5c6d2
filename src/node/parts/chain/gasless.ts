import { openGasless } from "../../sealing/sealing.ts";
import { development } from "../development.ts";
import { nodeKey } from "../node-key.ts";
import { part } from "../part.ts";
import { ledger } from "./ledger.ts";

/** Gas abstraction: which transactions the proposer lends fees to. @see KIP-247 */
export const gasless = part({
  name: "gas abstraction",
  needs: { development, ledger, nodeKey },
  start: ({ development, ledger, nodeKey }, { options }) => ({
    offers: openGasless(options, ledger, nodeKey?.key, development === undefined),
  }),
});
