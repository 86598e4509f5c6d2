import { StreamError } from "./errors.ts";

/** The two kinds of messages about a block: the block with its receipts, and the calls within its transactions. */
export type GroupKind = "block" | "trace";

/** What topics are named by. */
export interface TopicNames {
  /** Such as `local`, `production`. */
  readonly environment: string;
  /** The producer's place, such as `en-0`. */
  readonly resource: string;
}

/** Longest topic name that Kafka accepts. */
const LONGEST = 249;

/**
 * Name of a topic, as the reference's `chaindatafetcher` forms it: `local.klaytn.chaindatafetcher.en-0.blockgroup.v1`.
 * @throws StreamError `OPTION` for one that Kafka or NATS would refuse
 */
export function topicOf({ environment, resource }: TopicNames, kind: GroupKind): string {
  const topic = `${environment}.klaytn.chaindatafetcher.${resource}.${kind}group.v1`;
  if (topic.length > LONGEST || !/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(topic)) {
    const text = `${topic} is not a name of a topic: at most ${LONGEST} letters, digits, _, - and single dots`;
    throw new StreamError("OPTION", text, { topic });
  }
  return topic;
}
