import { NodeError } from "../../protocol/primitives/errors.ts";

/**
 * What is wrong with the tables of blocks: `SQL_OPTION` of a setting, `SQL_OTHER_CHAIN` where they hold another chain,
 * `SQL_MOVED` where another node has filled them meanwhile, `SQL_DAMAGED` of an answer that cannot be.
 */
export class SqlError extends NodeError<"SQL_OPTION" | "SQL_OTHER_CHAIN" | "SQL_MOVED" | "SQL_DAMAGED"> {
  override name = "SqlError";
}
