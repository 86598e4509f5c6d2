import { StreamError } from "./errors.ts";

/** The two kinds of messages about a block: the block with its receipts, and the calls within its transactions. */
export type GroupKind = "block" | "trace";

/** The variable parts of topic names. */
export interface TopicNames {
  /** Such as `local`, `production`. */
  readonly environment: string;
  /** The producer's name, such as `en-0`. */
  readonly resource: string;
}

/** Maximum topic name length that Kafka accepts. */
const MAX_LENGTH = 249;

/**
 * Name of a topic, as the reference's `chaindatafetcher` forms it: `local.klaytn.chaindatafetcher.en-0.blockgroup.v1`.
 * @throws StreamError `OPTION` for one that Kafka or NATS would reject
 */
export function topicOf({ environment, resource }: TopicNames, kind: GroupKind): string {
  const topic = `${environment}.klaytn.chaindatafetcher.${resource}.${kind}group.v1`;
  if (topic.length > MAX_LENGTH || !/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(topic)) {
    const text = `${topic} is not a valid topic name: at most ${MAX_LENGTH} letters, digits, _, - and single dots`;
    throw new StreamError("OPTION", text, { topic });
  }
  return topic;
}
