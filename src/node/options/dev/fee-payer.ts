import * as t from "../../../platform/config/types.ts";
import { naming } from "../../../platform/intake/read-file.ts";
import { isListOfDapps, readDapps } from "../../dev/fee-payer/dapp-file.ts";
import { nodeOption } from "../member.ts";
import { readText } from "../secret-files.ts";

/** A fee payer service beside a development chain. */
export const feePayerOptions = {
  feePayerPort: nodeOption({
    member: "feePayer.port",
    flag: "fee-payer-port",
    type: t.port,
    default: undefined,
    doc: "Serves a fee payer with the API of Kaia's managed service; 0 picks a free port.",
    opens: "feePayer",
  }),
  feePayerDapps: nodeOption({
    member: "feePayer.dapps",
    flag: "fee-payer-dapps",
    type: t.path,
    default: undefined,
    doc: "JSON file of the dApps that the fee payer pays for; without one it pays for everybody.",
    needs: "fee-payer-port",
    accepts: {
      what:
        "a list of dApps with different names: { name, balance, apiKeys, contracts, senders, active, terminated }, the " +
        "balance a bigint in kei, addresses in lower case",
      test: isListOfDapps,
    },
    as: (path) => naming(path, () => readDapps(readText(path, "--fee-payer-dapps"))),
  }),
  feePayerDaily: nodeOption({
    member: "feePayer.dailyLimit",
    flag: "fee-payer-daily",
    type: t.coins,
    default: undefined,
    doc: "Maximum that the fee payer pays per day.",
    needs: "fee-payer-port",
  }),
  feePayerDailySender: nodeOption({
    member: "feePayer.dailySenderLimit",
    flag: "fee-payer-daily-sender",
    type: t.coins,
    default: undefined,
    doc: "Maximum that the fee payer pays for one sender per day.",
    needs: "fee-payer-port",
  }),
} as const;
