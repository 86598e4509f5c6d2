import { NodeError } from "../../protocol/primitives/errors.ts";

/**
 * A failure of the tables of blocks: `SQL_OPTION` for a setting, `SQL_OTHER_CHAIN` if they hold another chain,
 * `SQL_MOVED` if another node has filled them meanwhile, `SQL_DAMAGED` for an impossible result.
 */
export class SqlError extends NodeError<"SQL_OPTION" | "SQL_OTHER_CHAIN" | "SQL_MOVED" | "SQL_DAMAGED"> {
  override name = "SqlError";
}
