import * as t from "../../../platform/config/types.ts";
import { absolute, databaseUrl } from "../conversions.ts";
import { nodeOption } from "../member.ts";

/** Blocks as tables in a database, for people. */
export const sqlOptions = {
  sqlUrl: nodeOption({
    member: "sql.url",
    flag: "sql",
    type: databaseUrl,
    default: undefined,
    doc:
      "Writes blocks, transactions, logs and token transfers to tables of a database: " +
      "postgres://USER@HOST:PORT/DATABASE, optionally with ?sslmode=verify-full&sslrootcert=FILE.",
    secret: true,
    opens: "sql",
  }),
  sqlPasswordFile: nodeOption({
    member: "sql.passwordFile",
    flag: "sql.password-file",
    type: t.path,
    default: undefined,
    doc: "File with the password for that database in its first line.",
    needs: "sql",
    as: absolute,
  }),
  logsFrom: nodeOption({
    member: "logsFrom",
    flag: "logs-from",
    type: t.oneOf("local", "sql"),
    default: "local",
    doc: "Where logs over 256 blocks or more are searched: in the node's own index, or in these tables as far as they are up to date.",
  }),
} as const;
