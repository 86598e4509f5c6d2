import { describe, expect, it } from "vitest";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import { openSink } from "./open-sink.ts";
import type { EventStreamOptions } from "./stream-options.ts";
import { topicOf } from "./topics.ts";

const open = (options: EventStreamOptions) =>
  openSink(options, ["t"], createSimulatedRuntime(), silentLogger);

describe("options of the event stream", () => {
  it.each<[EventStreamOptions, RegExp]>([
    [{}, /Kafka's brokers must be given/],
    [{ kafka: { brokers: ["kafka://user:secret@host"] } }, /^a broker of Kafka is HOST:PORT, without a user/],
    [{ kafka: { brokers: ["host:9092"] }, producerId: "a\nb" }, /producer's id/],
    [{ kafka: { brokers: ["host:9092"] }, segmentBytes: 10 }, /1024 bytes or more/],
    [{ mode: "nats" }, /NATS' servers must be given/],
    [
      { mode: "nats", nats: { servers: ["http://user:secret@host"] } },
      /^a NATS server is nats:\/\/HOST:PORT/,
    ],
    [{ mode: "nats", nats: { servers: ["nats://host"], stream: "a.b" } }, /stream's name/],
    ...["host:0", "host:65536", "host:-1", `${"x".repeat(254)}:1`, "a\r\nb:1"].flatMap<
      [EventStreamOptions, RegExp]
    >((place) => [
      [{ kafka: { brokers: [place] } }, /^a broker of Kafka is HOST:PORT/],
      [{ mode: "nats", nats: { servers: [place] } }, /^a NATS server is nats/],
    ]),
    [{ mode: "nats", nats: { servers: ["secret%zz@host"] } }, /^a NATS server is nats/],
    [
      {
        kafka: {
          brokers: ["host:9092"],
          saslMechanism: "plain",
          saslUsername: "u",
          saslPasswordFile: "secret",
        },
      },
      /sent in clear text.*--allow-cleartext-passwords/,
    ],
    [{ mode: "file" }, /a file must be given/],
    [{ mode: "kas" as never }, /the mode kas is not supported/],
  ])("%j are refused with a reason", (options, reason) => {
    expect(() => open(options)).toThrowError(reason);
    expect(() => open(options)).not.toThrowError(/secret/);
  });

  it("name the destination of the stream, without secrets", () => {
    expect(open({ mode: "nats", nats: { servers: ["nats://me:secret@a:1", "tls://token@b"] } }).place).toBe(
      "nats a:1,b:4222",
    );
    expect(open({ kafka: { brokers: ["a:9092", "[::1]:9093"] } }).place).toBe("kafka a:9092,[::1]:9093");
  });

  it("form the reference's topics, and reject invalid ones", () => {
    const names = { environment: "local", resource: "en-0" };
    expect(topicOf(names, "block")).toBe("local.klaytn.chaindatafetcher.en-0.blockgroup.v1");
    expect(topicOf(names, "trace")).toBe("local.klaytn.chaindatafetcher.en-0.tracegroup.v1");
    for (const environment of ["", "a b", "a..b", "*", "x".repeat(250)])
      expect(() => topicOf({ ...names, environment }, "block")).toThrowError(/is not a valid topic name/);
  });
});
