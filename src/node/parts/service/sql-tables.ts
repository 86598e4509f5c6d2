import { SqlError } from "../../../api/sql/errors.ts";
import { cluster } from "../chain/cluster.ts";
import { ledger } from "../chain/ledger.ts";
import { instruments } from "../instruments.ts";
import { part } from "../part.ts";
import { budget } from "./budget.ts";

/** The tables of blocks in a database, if enabled. */
export const sqlTables = part({
  name: "sql-tables",
  // With a change log the chain may have unannounced blocks; once `cluster` has started there are none.
  needs: { budget, cluster, instruments, ledger },
  async start({ budget, instruments, ledger }, { options, runtime, logger }) {
    const { sql, logsFrom } = options;
    if (sql === undefined) return { offers: undefined };
    if (options.fork !== undefined)
      throw new SqlError(
        "SQL_OPTION",
        "--sql and --fork-url do not go together: the tables begin with the genesis block",
      );
    const { openSql } = await import("../../../api/sql/open-sql.ts");
    const { slice } = budget;
    const tables = openSql({
      options: sql,
      allowCleartextPasswords: options.allowCleartextPasswords,
      chain: ledger.chain,
      pace: { isDue: () => slice.isDue(), yield: () => slice.yield("reads") },
      runtime,
      metrics: instruments.metrics,
      logger: logger.child("sql"),
    });
    const offers = { wideLogs: logsFrom === "sql" ? tables.wideLogs : undefined };
    return { offers, stop: () => tables.close() };
  },
});
