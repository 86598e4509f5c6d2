import { lstatSync } from "node:fs";
import { join } from "node:path";
import { type NodeUrl, parseNodeUrl } from "../../network/p2p/node-url.ts";
import { faultOf, parseJsonWithin } from "../../platform/intake/nesting.ts";
import { readTextWithin } from "../../platform/intake/read-file.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";

/** A file of nodes is not a list. */
export class NodeFileError extends NodeError<"NODE_FILE"> {
  override name = "NodeFileError";
}

/** Maximum nodes of a file; the rest are ignored. */
const MAX_NODES = 1_000;
/** Characters of a URL shown in a warning. */
const MAX_SHOWN = 200;

/**
 * The nodes of a file such as `static-nodes.json`, in the data folder or its `klay/`: a JSON list of URLs. An invalid
 * URL is logged and ignored.
 * @throws NodeFileError for a file that is not a JSON list
 */
export function readNodeFile(dataDir: string, name: string, logger: Logger): readonly NodeUrl[] {
  const file = [join(dataDir, name), join(dataDir, "klay", name)].find(isThere);
  return file === undefined ? [] : readNodes(parseList(file), file, logger);
}

/** A link that leads nowhere is there: its nodes were not meant to be left out. */
function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Parses URLs; an invalid one is logged with its location and ignored. */
export function readNodes(entries: readonly unknown[], where: string, logger: Logger): readonly NodeUrl[] {
  return entries.slice(0, MAX_NODES).flatMap((entry, index) => {
    const text = typeof entry === "string" ? entry : `(${entry === null ? "null" : typeof entry})`;
    try {
      return [parseNodeUrl(text)];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const url = text.slice(0, MAX_SHOWN);
      logger.warn("an invalid node URL was ignored", { where, entry: index, url, reason });
      return [];
    }
  });
}

function parseList(file: string): readonly unknown[] {
  let value: unknown;
  try {
    value = parseJsonWithin(readTextWithin(file));
  } catch (cause) {
    throw new NodeFileError("NODE_FILE", `${file} cannot be used: ${faultOf(cause)}`, { file }, { cause });
  }
  if (!Array.isArray(value))
    throw new NodeFileError("NODE_FILE", `${file} is not a list of node URLs`, { file });
  return value;
}
