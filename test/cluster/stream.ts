// `npm run test:stream`: the event stream over a real NATS server and a real Kafka broker. A missing server is skipped with a message.
// Kafka: a folder of jars (`kafka_2.13` from Maven Central with its dependencies) in KAIRN_KAFKA.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { EventStreamOptions } from "../../src/api/stream/stream-options.ts";
import { createNode, type Node } from "../../src/node/index.ts";
import { Kafka } from "./servers/kafka.ts";
import { findNats, Nats } from "./servers/nats.ts";
import {
  assembled,
  type ReadMessage,
  type ReadSegment,
  readKafka,
  readNats,
} from "./servers/stream-readers.ts";

const TOPICS = ["block", "trace"].map((kind) => `test.klaytn.chaindatafetcher.en-1.${kind}group.v1`);
/** Short, so that blocks are split. */
const SEGMENT_BYTES = 2_048;
/** For a busy machine. */
const TIMEOUT_MS = 240_000;

interface Broker {
  readonly options: EventStreamOptions;
  read(): Promise<ReadSegment[]>;
  end(signal: NodeJS.Signals): Promise<void>;
  launch(): Promise<void>;
  remove(): Promise<void>;
}

let failed = 0;
let passed = 0;
const shared = { environment: "test", resource: "en-1", segmentBytes: SEGMENT_BYTES } as const;
const program = findNats();
if (program === undefined)
  console.log("skipped: NATS (nats-server is not on the path: apt-get install nats-server)");
else {
  const nats = await Nats.start(program);
  await scenes("NATS", {
    options: { ...shared, mode: "nats", nats: { servers: [nats.url] } },
    read: () => readNats({ port: nats.port }, "chaindatafetcher"),
    end: (signal) => nats.end(signal),
    launch: () => nats.launch(),
    remove: () => nats.remove(),
  });
  const encrypted = await Nats.start(program, true);
  const { certificate: tlsCa = "" } = encrypted.certificate ?? {};
  const servers = [encrypted.url];
  await protectedScene("NATS over TLS", encrypted, {
    options: { ...shared, mode: "nats", nats: { servers, tlsCa } },
    wrong: { ...shared, mode: "nats", nats: { servers } },
    read: () => readNats({ port: encrypted.port, tlsCa }, "chaindatafetcher"),
  });
}
const jars = process.env["KAIRN_KAFKA"];
if (jars === undefined) console.log("skipped: Kafka (KAIRN_KAFKA names no folder of jars)");
else {
  const kafka = await Kafka.start(jars);
  await scenes("Kafka", {
    options: { ...shared, mode: "kafka", kafka: { brokers: [kafka.broker] } },
    read: () => readKafka(kafka.broker, TOPICS),
    end: (signal) => kafka.end(signal),
    launch: () => kafka.launch(),
    remove: () => kafka.remove(),
  });
  const guarded = await Kafka.start(jars, { isProtected: true });
  const { certificate: tlsCa = "" } = guarded.certificate ?? {};
  const folder = mkdtempSync(join(tmpdir(), "kairn-stream-"));
  const [right, other] = ["secret", "hunter2"].map((password) => {
    const path = join(folder, password);
    writeFileSync(path, `${password}\n`, { mode: 0o600 });
    return path;
  }) as [string, string];
  const kafkaOf = (saslPasswordFile: string) => ({
    ...{ brokers: [guarded.broker], tls: true, tlsCa },
    ...{ saslUsername: "kairn", saslPasswordFile, saslMechanism: "scram-sha-512" as const },
  });
  await protectedScene("Kafka over TLS with SCRAM-SHA-512", guarded, {
    options: { ...shared, mode: "kafka", kafka: kafkaOf(right) },
    wrong: { ...shared, mode: "kafka", kafka: kafkaOf(other) },
    read: () => readKafka(guarded.broker, TOPICS, { tlsCa, username: "kairn", password: "secret" }),
  });
  rmSync(folder, { recursive: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function scenes(name: string, broker: Broker): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-stream-"));
  try {
    await scene(
      `${name}: blocks arrive in order, split or not, while the broker crashes and the chain is rewound`,
      () => play(folder, broker),
    );
  } finally {
    await broker.remove();
    rmSync(folder, { recursive: true });
  }
}

/** Publishes to a broker with TLS and authentication; fails with a wrong certificate or password. */
async function protectedScene(
  name: string,
  server: { remove(): Promise<void> },
  broker: Pick<Broker, "options" | "read"> & { readonly wrong: EventStreamOptions },
): Promise<void> {
  await scene(`${name}: blocks arrive, and none is sent with a wrong certificate or password`, async () => {
    let node = await createNode({ dev: true, eventStream: broker.wrong });
    await blocks(node, 2);
    await pause(2_000);
    assert.equal(await node.provider.request({ method: "chaindatafetcher_readCheckpoint" }), 1);
    await node.stop();
    node = await createNode({ dev: true, eventStream: broker.options });
    await blocks(node, 3);
    await published(node);
    await checkMessages(node, assembled(await broker.read()));
    await node.stop();
  });
  await server.remove();
}

async function scene(name: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
    passed++;
    console.log(`ok    ${name}`);
  } catch (error) {
    failed++;
    console.error(`FAIL  ${name}`, error);
  }
}

async function play(dataDir: string, broker: Broker): Promise<void> {
  const options = { dev: true, dataDir, eventStream: broker.options, allowCleartextPasswords: true } as const;
  let node = await createNode(options);
  await blocks(node, 6);
  await published(node);
  await broker.end("SIGKILL");
  await blocks(node, 6); // without waiting for the broker
  assert.equal(node.chain.head.header.number, 12n);
  await broker.launch();
  await published(node);
  await node.stop(); // and again: it continues where it was
  node = await createNode(options);
  const snapshot = await node.provider.request({ method: "evm_snapshot" });
  await blocks(node, 3);
  await published(node);
  await node.provider.request({ method: "evm_revert", params: [snapshot] });
  await blocks(node, 4);
  await published(node);
  const segments = await broker.read();
  assert.ok(
    segments.some(({ total }) => total > 1),
    "no block was split",
  );
  assert.ok(segments.every(({ bytes }) => bytes.length <= SEGMENT_BYTES));
  await checkMessages(node, assembled(segments));
  await again(node, broker);
  await node.stop();
}

/** A range that is requested again is sent again, immediately. */
async function again(node: Node, broker: Broker): Promise<void> {
  const before = (await broker.read()).length;
  await node.provider.request({ method: "chaindatafetcher_startRangeFetching", params: [1, 2, "block"] });
  for (const until = Date.now() + TIMEOUT_MS; ; await pause(50)) {
    const status = await node.provider.request({ method: "chaindatafetcher_status" });
    if (String(status).includes("rangeFetching: 0")) break;
    if (Date.now() > until) throw new Error("the range was not sent");
  }
  assert.ok((await broker.read()).length >= before + 2, "the broker dropped the repeated range");
}

/** The last message of each number is from the chain, and numbers have no gaps. */
async function checkMessages(node: Node, messages: readonly ReadMessage[]): Promise<void> {
  const head = Number(node.chain.head.header.number);
  for (const [i, topic] of TOPICS.entries()) {
    const ofTopic = messages.filter((message) => message.topic === topic);
    const last = new Map(ofTopic.map(({ key, text }) => [Number(key), text]));
    assert.deepEqual(
      [...last.keys()].sort((a, b) => a - b),
      Array.from({ length: head }, (_, n) => n + 1),
    );
    for (const [at, { key }] of ofTopic.entries())
      assert.ok(Number(key) <= Number(ofTopic[at - 1]?.key ?? 0) + 1, `a gap before block ${key}`);
    for (const [number, text] of last) {
      const { blockNumber, result } = JSON.parse(text);
      assert.equal(blockNumber, number);
      if (i === 1) assert.equal(result.length, 1);
      else
        assert.equal(
          result.hash,
          `0x${Buffer.from(node.chain.hash(BigInt(number)) as Uint8Array).toString("hex")}`,
        );
    }
  }
}

async function blocks(node: Node, count: number): Promise<void> {
  const [from] = (await node.provider.request({ method: "eth_accounts" })) as string[];
  for (let i = 0; i < count; i++)
    await node.provider.request({
      method: "eth_sendTransaction",
      params: [{ from, to: from, value: "0x1" }],
    });
}

/** Waits until the broker has acknowledged the newest block. */
async function published(node: Node): Promise<void> {
  const head = Number(node.chain.head.header.number);
  for (const until = Date.now() + TIMEOUT_MS; ; await pause(50)) {
    if ((await node.provider.request({ method: "chaindatafetcher_readCheckpoint" })) === head + 1) return;
    if (Date.now() > until) throw new Error(`the broker did not get block ${head}`);
  }
}
