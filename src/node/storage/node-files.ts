import { existsSync } from "node:fs";
import { join } from "node:path";
import { type NodeUrl, parseNodeUrl } from "../../network/p2p/node-url.ts";
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
  const file = [join(dataDir, name), join(dataDir, "klay", name)].find(existsSync);
  return file === undefined ? [] : readNodes(parseList(file), file, logger);
}

/** Parses URLs; an invalid one is logged with its location and ignored. */
export function readNodes(entries: readonly unknown[], where: string, logger: Logger): readonly NodeUrl[] {
  return entries.slice(0, MAX_NODES).flatMap((entry, index) => {
    try {
      return [parseNodeUrl(String(entry))];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const url = String(entry).slice(0, MAX_SHOWN);
      logger.warn("an invalid node URL was ignored", { where, entry: index, url, reason });
      return [];
    }
  });
}

function parseList(file: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(readTextWithin(file));
  } catch (cause) {
    throw new NodeFileError("NODE_FILE", `${file} is not JSON`, { file }, { cause });
  }
  if (!Array.isArray(value))
    throw new NodeFileError("NODE_FILE", `${file} is not a list of node URLs`, { file });
  return value;
}
