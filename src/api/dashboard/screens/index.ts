import type { Screen } from "../kernel/screen.ts";
import { account } from "./account.tsx";
import { accounts } from "./accounts.tsx";
import { block } from "./block.tsx";
import { blocks } from "./blocks.tsx";
import { contract } from "./contract.tsx";
import { dev } from "./dev.tsx";
import { feePayer } from "./fee-payer.tsx";
import { home } from "./home.tsx";
import { keyEditor } from "./key-editor.tsx";
import { keystore } from "./keystore.tsx";
import { logs } from "./logs.tsx";
import { metrics } from "./metrics.tsx";
import { multisig } from "./multisig.tsx";
import { peers } from "./peers.tsx";
import { pool } from "./pool.tsx";
import { search } from "./search.tsx";
import { transaction } from "./transaction.tsx";
import { transactions } from "./transactions.tsx";

/** Every screen, in the order of the menu. To add one, write its file and list it here. */
export const screens: readonly Screen[] = [
  ...[home, blocks, block, transactions, transaction, accounts, account, keyEditor, contract],
  ...[multisig, feePayer, pool, peers, dev, keystore],
  ...[metrics, logs, search],
];
