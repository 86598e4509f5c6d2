import type { Screen } from "../kernel/screen.ts";
import { account } from "./account.tsx";
import { accounts } from "./accounts.tsx";
import { block } from "./block.tsx";
import { blocks } from "./blocks.tsx";
import { dev } from "./dev.tsx";
import { home } from "./home.tsx";
import { logs } from "./logs.tsx";
import { metrics } from "./metrics.tsx";
import { peers } from "./peers.tsx";
import { pool } from "./pool.tsx";
import { search } from "./search.tsx";
import { transaction } from "./transaction.tsx";
import { transactions } from "./transactions.tsx";

/** Every screen, in the order of the menu. To add one, write its file and put it here. */
export const screens: readonly Screen[] = [
  ...[home, blocks, block, transactions, transaction, accounts, account],
  ...[pool, peers, dev],
  ...[metrics, logs, search],
];
