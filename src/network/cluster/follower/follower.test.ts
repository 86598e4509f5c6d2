import { describe, expect, it, vi } from "vitest";
import { ClusterError } from "../errors.ts";
import { feed, lastRecord, setUp } from "./testing/followed-log.ts";

describe("Follower", () => {
  it("reaches the writer's head, with its state", async () => {
    const { writer, reader, follower } = await setUp();
    await follower.catchUp();
    expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash);
    expect(reader.store.head).toEqual(writer.store.head);
  });

  it("rewinds where the log was rewound, and applies the other blocks", async () => {
    const { log, writer, reader, follower } = await setUp();
    await follower.catchUp();
    await writer.chain.exclusive(() => writer.chain.rewind(1n));
    await log.truncate(1n, { height: 1n, hash: writer.chain.tip.hash });
    await writer.add();
    await feed(log, writer);
    await follower.catchUp();
    expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash);
  });

  it("rejects epochs that decrease, or exceed the lease's", async () => {
    const { log, writer, reader, follower } = await setUp(2);
    await log.acquire({ holder: "writer", url: "", ttlMs: 1_000 });
    await writer.add();
    await feed(log, writer);
    const newest = await lastRecord(log);
    log.replace({ ...newest, epoch: 3n });
    await expect(follower.catchUp()).rejects.toThrow("its epoch 3 is ahead of the lease's, 2");
    log.replace(newest);
    await follower.catchUp();
    await writer.add();
    await feed(log, writer);
    const next = await lastRecord(log);
    log.replace({ ...next, epoch: 1n });
    await expect(follower.catchUp()).rejects.toThrow("its epoch 1 is older than that of the block before, 2");
    log.replace(next);
    await follower.catchUp();
    expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash);
  });

  it("rewinds nothing if the lease contradicts the record that it names", async () => {
    const { log, reader, follower } = await setUp();
    await follower.catchUp();
    const { hash } = reader.chain.head;
    const honest = log.read.bind(log);
    log.read = async (...given) => {
      const { state, records } = await honest(...given);
      return { state: { ...state, height: 1n }, records };
    };
    await expect(follower.catchUp()).rejects.toThrow("was it edited by hand?");
    expect(reader.chain.tip.hash).toEqual(hash);
  });

  it("rewinds nothing if the lease names an earlier block although there are records above it", async () => {
    const { log, writer, reader, follower } = await setUp();
    await follower.catchUp();
    const { hash } = reader.chain.head;
    log.edit({ height: 1n, hash: writer.chain.ancestry.hash(1n) as Uint8Array });
    await expect(follower.catchUp()).rejects.toThrow("there are records above it: was it edited by hand?");
    expect(reader.chain.tip.hash).toEqual(hash);
    log.edit({ height: 1n, first: 3n });
    await expect(follower.catchUp()).rejects.toThrow("names block 1 as the newest one, and 3 as the oldest");
    expect(reader.chain.tip.hash).toEqual(hash);
  });

  it("keeps serving while the database is inconsistent, and follows again afterwards", async () => {
    const { log, writer, reader, follower } = await setUp();
    const running = follower.run();
    await vi.waitFor(() => expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash), 15_000);
    log.failure = new ClusterError("LOG_FAILED", 'relation "lease" does not exist');
    await vi.waitFor(() => expect(follower.status.failure?.code).toBe("LOG_FAILED"), 15_000);
    log.failure = undefined;
    await writer.add();
    await feed(log, writer);
    await vi.waitFor(() => expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash), 15_000);
    expect(follower.status.failure).toBeUndefined();
    await follower.stop();
    await running;
  });

  it("keeps its blocks if only the lease names another head", async () => {
    const { log, reader, follower } = await setUp();
    await follower.catchUp();
    const { hash } = reader.chain.head;
    const honest = log.read.bind(log);
    log.read = async (...given) => {
      const { state, records } = await honest(...given);
      return { state: { ...state, hash: new Uint8Array(32) }, records };
    };
    await follower.catchUp();
    expect(reader.chain.tip.hash).toEqual(hash);
  });
});
