import { join } from "node:path";
import type { StreamControls } from "../../../api/rpc/handlers/node/chaindatafetcher.ts";
import { Checkpoint } from "../../../api/stream/checkpoint.ts";
import { StreamError } from "../../../api/stream/errors.ts";
import { EventStream } from "../../../api/stream/event-stream.ts";
import { openSink } from "../../../api/stream/open-sink.ts";
import { DEFAULT_KAFKA, DEFAULT_STREAM } from "../../../api/stream/stream-defaults.ts";
import { createStreamMeters } from "../../../api/stream/stream-meters.ts";
import type { EventStreamOptions } from "../../../api/stream/stream-options.ts";
import { topicOf } from "../../../api/stream/topics.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import type { Metrics } from "../../../platform/telemetry/metrics.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { type BlockGroupDeps, blockGroups } from "./block-groups.ts";

/** Dependencies of a node's event stream. */
export interface OpenStreamParts extends Pick<BlockGroupDeps, "ledger" | "pace"> {
  readonly options: EventStreamOptions;
  /** Whether passwords and tokens may be sent in clear text. */
  readonly allowCleartextPasswords?: boolean | undefined;
  /** Where the checkpoint is kept; absent = in memory, like the chain. */
  readonly dataDir: string | undefined;
  readonly runtime: Runtime;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** A node's event stream with its controls. */
export interface NodeStream extends StreamControls {
  /** Sets the node's own methods, by which traces are made. Must be called before the stream is started. */
  connect(call: BlockGroupDeps["call"]): void;
  close(): Promise<void>;
}

/**
 * The event stream of a node, not started yet. The broker need not be reachable.
 * @throws StreamError `OPTION`
 */
export function openStream({
  options,
  allowCleartextPasswords = false,
  dataDir,
  runtime,
  metrics,
  logger,
  ...deps
}: OpenStreamParts): NodeStream {
  const {
    environment = DEFAULT_STREAM.environment,
    resource = DEFAULT_STREAM.resource,
    handlers = DEFAULT_STREAM.handlers,
    maxBytes = DEFAULT_STREAM.maxBytes,
  } = options;
  const names = { environment, resource };
  const topics = { block: topicOf(names, "block"), trace: topicOf(names, "trace") };
  const meters = createStreamMeters(metrics);
  const sink = openSink({ ...options, allowCleartextPasswords }, Object.values(topics), runtime, logger);
  const path = dataDir && join(dataDir, "chaindatafetcher.json");
  const checkpoint = new Checkpoint(runtime, path || undefined, (error) =>
    logger.warn("the checkpoint of the event stream cannot be written", { reason: (error as Error).message }),
  );
  const { traceFailures } = meters;
  let connected: BlockGroupDeps["call"] | undefined;
  const call: BlockGroupDeps["call"] = (method, params) => {
    if (connected === undefined) throw new StreamError("STATE", "the node's methods are not available yet");
    return connected(method, params);
  };
  const source = blockGroups({ ...deps, call, logger, traceFailures });
  const limits = { blocks: handlers, bytes: maxBytes };
  const stream = new EventStream({ source, sink, topics, checkpoint, limits, runtime, logger, meters });
  return Object.assign(stream, {
    shownConfig: shown(options, sink.place, limits),
    connect(call: BlockGroupDeps["call"]) {
      connected = call;
    },
  });
}

/** In the names of the reference's structure, where it has them. */
function shown(
  {
    mode = DEFAULT_STREAM.mode,
    noDefault = false,
    environment = DEFAULT_STREAM.environment,
    resource = DEFAULT_STREAM.resource,
    ...options
  }: EventStreamOptions,
  place: string,
  { blocks, bytes }: { readonly blocks: number; readonly bytes: number },
): Record<string, Json> {
  const {
    kafka = {},
    segmentBytes = DEFAULT_STREAM.segmentBytes,
    messageVersion = DEFAULT_STREAM.messageVersion,
  } = options;
  return {
    EnabledChainDataFetcher: true,
    Mode: mode,
    NoDefaultStart: noDefault,
    NumHandlers: blocks,
    MaxProcessingDataSize: Math.floor(bytes / (1024 * 1024)),
    Place: place,
    KafkaConfig: {
      MsgVersion: messageVersion,
      TopicEnvironmentName: environment,
      TopicResourceName: resource,
      Partitions: kafka.partitions ?? DEFAULT_KAFKA.partitions,
      Replicas: kafka.replicas ?? DEFAULT_KAFKA.replicas,
      SegmentSizeBytes: segmentBytes,
    },
  };
}
