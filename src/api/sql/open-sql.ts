import { type ConnectionOptions, PostgresConnection } from "../../network/cluster/postgres/connection.ts";
import { parseDatabaseUrl } from "../../network/cluster/postgres/database-url.ts";
import { passwordIn, warnOfReadablePassword } from "../../network/cluster/postgres/password-file.ts";
import { readTextAgain } from "../../platform/intake/read-file.ts";
import type { Runtime } from "../../platform/runtime/runtime.ts";
import type { Pace } from "../../platform/runtime/turns/pace.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { WideLogSearch } from "../rpc/handlers/logs/log-reader.ts";
import { QueryTables } from "./query-tables.ts";
import { type FeederParts, TableFeeder } from "./table-feeder.ts";
import { isAnswerable, TableLogs } from "./table-logs.ts";

/** A database for queries. */
export interface SqlOptions {
  /** `postgres://user@host:port/database`, with `sslmode` and `sslrootcert` as for the change log. */
  readonly url?: string;
  /** File with the password in its first line, read for each connection. */
  readonly passwordFile?: string;
}

/** Size of a block range from which the tables are searched: the node's own index is faster for smaller ones. */
const WIDE = 256n;
const TIMEOUT_MS = 10_000;

/** Dependencies of a node's tables. */
export interface SqlParts {
  readonly options: SqlOptions;
  /** Whether the password may be sent in clear text, or as MD5, without a verified certificate. */
  readonly allowCleartextPasswords?: boolean | undefined;
  readonly chain: FeederParts["chain"];
  readonly pace: Pace;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** The tables of blocks of a running node. */
export interface SqlTables {
  readonly wideLogs: WideLogSearch;
  close(): Promise<void>;
}

/** Begins to fill the tables; the database need not be reachable yet. @throws ClusterError `LOG_URL` for a malformed address */
export function openSql({ options, chain, pace, runtime, metrics, logger, ...parts }: SqlParts): SqlTables {
  const { url = "", passwordFile } = options;
  const address = parseDatabaseUrl(url);
  if (passwordFile !== undefined) warnOfReadablePassword(passwordFile, logger);
  const { caFile } = address;
  const connection: ConnectionOptions = {
    address,
    timeoutMs: TIMEOUT_MS,
    name: "kairn tables",
    allowCleartextPasswords: parts.allowCleartextPasswords,
    ...(passwordFile !== undefined && { password: () => passwordIn(readTextAgain(passwordFile)) }),
    ...(caFile !== undefined && { ca: () => readTextAgain(caFile) }),
  };
  const [writing, reading] = [new PostgresConnection(connection), new PostgresConnection(connection)];
  const feeder = new TableFeeder({
    tables: new QueryTables(writing),
    chain,
    pace,
    timers: runtime.timers,
    logger,
  });
  const logs = new TableLogs(reading, chain, logger, () => runtime.clock.elapsed());
  const searches = metrics.counter("sql/logs/answered");
  const passed = metrics.counter("sql/logs/passed");
  metrics.gauge("sql/height", () => Number(feeder.height));
  metrics.gauge("sql/lag", () => Math.max(0, Number(chain.head.header.number - feeder.height)));
  metrics.gauge("sql/failures", () => feeder.failures);
  return {
    wideLogs: {
      atLeast: WIDE,
      async find(filter, range, max) {
        const found = isAnswerable(filter) ? await logs.find(filter, range, max) : undefined;
        (found === undefined ? passed : searches).add();
        return found;
      },
    },
    async close() {
      const stopped = feeder.stop();
      await Promise.all([writing.close(), reading.close()]);
      await stopped;
    },
  };
}
