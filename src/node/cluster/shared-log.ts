import { hostname } from "node:os";
import { join } from "node:path";
import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { ChangeLog } from "../../network/cluster/change-log.ts";
import type { ClusterError } from "../../network/cluster/errors.ts";
import { parseDatabaseUrl } from "../../network/cluster/postgres/database-url.ts";
import { passwordIn, warnOfReadablePassword } from "../../network/cluster/postgres/password-file.ts";
import { PostgresChangeLog } from "../../network/cluster/postgres/postgres-change-log.ts";
import { WriterFeed } from "../../network/cluster/writer/writer-feed.ts";
import { readBounded, SHORT_WAIT_MS, SMALL_FILE_BYTES } from "../../platform/runtime/read-bounded.ts";
import type { Runtime } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { ClusterOptions, NodeOptions } from "../node-options.ts";
import { readText } from "../options/secret-files.ts";
import { DEFAULT_CLUSTER } from "./defaults.ts";

/** The options with their defaults. */
export type ClusterSettings = Required<Omit<ClusterOptions, WithoutDefault>> &
  Pick<ClusterOptions, WithoutDefault>;

type WithoutDefault = "passwordFile" | "rpcUrl" | "genesis" | "snapshotSha256";

/** The change log of a node, available before its chain. */
export interface SharedLog {
  readonly settings: ClusterSettings;
  readonly log: ChangeLog;
  readonly feed: WriterFeed;
  /** Name under which this node holds the lease. */
  readonly holder: string;
  /** Resolves with the error that permanently ends this node's role in the cluster. */
  readonly failed: Promise<ClusterError>;
  /** Ends the role and logs why; only the first call counts. */
  fail(error: ClusterError): void;
  /** Connects the feed to its chain. */
  attach(chain: Blockchain): void;
  close(): Promise<void>;
}

/** File in the data folder with the name that distinguishes this node from others on the machine. */
const ID_FILE = "changelog-id";

/** Creates the log; the database is connected on the first statement. @throws ClusterError `LOG_URL`, ConfigError */
export function createSharedLog(
  options: NodeOptions & { readonly cluster: ClusterOptions },
  runtime: Runtime,
  logger: Logger,
): SharedLog {
  // Verifying seals is pointless on a development chain, whose key is well known.
  const settings = settingsOf({ ...(options.dev && { verify: "hash" }), ...options.cluster });
  const address = parseDatabaseUrl(settings.url);
  const { passwordFile } = settings;
  if (passwordFile !== undefined) warnOfReadablePassword(passwordFile, logger);
  const log = new PostgresChangeLog({
    address,
    name: `kairn ${settings.role}`,
    allowCleartextPasswords: options.allowCleartextPasswords,
    ...(passwordFile !== undefined && {
      password: () => passwordIn(readText(passwordFile, "--changelog.password-file", SHORT_WAIT_MS)),
    }),
    ca: () =>
      address.caFile === undefined
        ? undefined
        : readBounded(address.caFile, { maxBytes: SMALL_FILE_BYTES, waitMs: SHORT_WAIT_MS }).toString("utf8"),
  });
  let end: ((error: ClusterError) => void) | undefined;
  const failed = new Promise<ClusterError>((resolve) => {
    end = resolve;
  });
  const fail = (error: ClusterError): void => {
    if (end === undefined) return;
    const { code, message } = error;
    logger.error("this node's role in the cluster has ended", { code, error: message });
    end(error);
    end = undefined;
  };
  let chain: Blockchain | undefined;
  const feed = new WriterFeed({
    ...{ log, runtime, logger, durability: settings.durability, maxBehind: settings.maxBehind },
    chain: () => chain as Blockchain,
    onFailure: fail,
  });
  return {
    ...{ settings, log, feed, failed, fail },
    holder: `${hostname()}:${nodeId(options.dataDir, runtime)}`,
    attach(own) {
      chain = own;
    },
    close: () => log.close(),
  };
}

function settingsOf(given: ClusterOptions): ClusterSettings {
  return {
    ...{ role: "writer", verify: "roots", ...DEFAULT_CLUSTER },
    ...given,
  } as ClusterSettings;
}

/** An identifier stored in the data folder; a node in memory gets a new one each time. */
function nodeId(dataDir: string | undefined, { files, randomness }: Runtime): string {
  const fresh = bytesToHex(randomness.bytes(8)).slice(2);
  if (dataDir === undefined) return fresh;
  const path = join(dataDir, ID_FILE);
  const stored = files.exists(path) ? Buffer.from(files.read(path)).toString("latin1").trim() : "";
  if (/^[0-9a-f]{16}$/.test(stored)) return stored;
  files.createDirectory(dataDir);
  void files.replace(path, Buffer.from(`${fresh}\n`));
  return fresh;
}
