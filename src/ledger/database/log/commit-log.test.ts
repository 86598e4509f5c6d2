import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Timers } from "../../../platform/runtime/runtime.ts";
import { createSimulatedFiles, type SimulatedFiles } from "../../../platform/runtime/simulated/files.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { DiskHealth } from "../disk-health.ts";
import { CommitLog } from "./commit-log.ts";

const SEGMENT = "db/log-0000000001.v2";
/** Bytes of a frame of one record besides its payload. */
const FRAME = 28;
const payload = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

/** Timers that do not wait. */
const noDelay: Timers = { schedule: (_, callback) => systemRuntime.timers.schedule(0, callback) };

function open(files: SimulatedFiles) {
  const health = new DiskHealth(noDelay);
  const log = new CommitLog(files, "db", health);
  const records: string[] = [];
  const torn = log.open(({ sequence, payload: bytes }) => {
    records.push(`${sequence} ${Buffer.from(bytes).toString()}`);
  });
  return { log, records, cut: torn?.bytes ?? 0, health };
}

async function written(...texts: string[]): Promise<SimulatedFiles> {
  const files = createSimulatedFiles();
  const { log } = open(files);
  for (const [i, text] of texts.entries()) await log.append({ sequence: i + 1, payload: payload(text) });
  return files;
}

describe("the commit log", () => {
  it("returns what was appended, and appends after it", async () => {
    const files = await written("one", "two");
    const { log, records } = open(files);
    expect(records).toEqual(["1 one", "2 two"]);
    await log.append({ sequence: 3, payload: payload("three") });
    expect(open(files).records).toEqual(["1 one", "2 two", "3 three"]);
  });

  it("writes records appended during a write together, in order", async () => {
    const files = createSimulatedFiles();
    const { log } = open(files);
    const order: number[] = [];
    const appended = [1, 2, 3, 4].map((sequence) =>
      log.append({ sequence, payload: payload("x") }).then(() => order.push(sequence)),
    );
    await appended[0];
    expect(order).toEqual([1]);
    await Promise.all(appended);
    expect(order).toEqual([1, 2, 3, 4]);
    expect(open(files).records).toHaveLength(4);
  });

  it("ends a segment after the records appended so far, even during a write", async () => {
    const files = createSimulatedFiles();
    const { log } = open(files);
    const first = log.append({ sequence: 1, payload: payload("before") });
    const rolled = log.roll();
    const second = log.append({ sequence: 2, payload: payload("after") });
    expect(await rolled).toEqual(["log-0000000001.v2"]);
    await Promise.all([first, second]);
    expect(open(files).records).toEqual(["1 before", "2 after"]);
    const whole = log.bytes;
    log.drop(await rolled);
    expect(open(files).records).toEqual(["2 after"]);
    expect([whole, log.bytes]).toEqual([FRAME + 6 + FRAME + 5, FRAME + 5]);
  });

  it("truncates a record that is torn at any byte, once", async () => {
    const whole = (await written("one", "two")).read(SEGMENT).length;
    const first = (await written("one")).read(SEGMENT).length;
    for (let length = first; length < whole; length++) {
      const files = await written("one", "two");
      files.truncate(SEGMENT, length);
      const { records, cut } = open(files);
      expect(records).toEqual(["1 one"]);
      expect(cut).toBe(length - first);
      expect(open(files).cut).toBe(0);
    }
  });

  it("rejects a changed byte anywhere, and names file and offset", async () => {
    const length = (await written("one", "two")).read(SEGMENT).length;
    for (let offset = 0; offset < length; offset++) {
      const files = await written("one", "two");
      files.flipByte(SEGMENT, offset);
      const details = { path: SEGMENT, offset: offset < length / 2 ? 0 : length / 2 };
      expect(() => open(files)).toThrow(expect.objectContaining({ code: "LOG_DAMAGED", details }));
      expect(files.read(SEGMENT)).toHaveLength(length);
    }
  });

  it("truncates a write of several records if some of its sectors were never written", async () => {
    const files = createSimulatedFiles();
    const { log } = open(files);
    await log.append({ sequence: 1, payload: payload("one") });
    const whole = files.read(SEGMENT).length;
    const noise = Uint8Array.from({ length: 900 }, (_, i) => 1 + (i % 250));
    files.failNextAppend(new Error("EIO"));
    await Promise.all([2, 3, 4].map((sequence) => log.append({ sequence, payload: noise })));
    const bytes = files.read(SEGMENT);
    for (let sector = 512; sector < bytes.length; sector += 512) {
      const torn = bytes.slice().fill(0, sector, sector + 512);
      const found = open(createSimulatedFiles(new Map([[SEGMENT, torn]])));
      expect(found.records).toEqual(["1 one"]);
      expect(found.cut).toBe(bytes.length - whole);
    }
  });

  it("reads the segments of earlier versions, and appends to one of its own", async () => {
    const frame = (sequence: number, text: string) => {
      const bytes = Buffer.alloc(16 + text.length);
      bytes.writeUInt32LE(text.length, 0);
      bytes.writeBigUInt64LE(BigInt(sequence), 8);
      bytes.write(text, 16);
      bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
      return bytes;
    };
    const old = Buffer.concat([frame(1, "one"), frame(2, "two"), frame(3, "three")]);
    const files = createSimulatedFiles(new Map([["db/log-0000000004", old]]));
    const { log, records } = open(files);
    expect(records).toEqual(["1 one", "2 two", "3 three"]);
    await log.append({ sequence: 4, payload: payload("four") });
    expect(open(files).records).toEqual(["1 one", "2 two", "3 three", "4 four"]);

    const torn = createSimulatedFiles(new Map([["db/log-0000000004", old.subarray(0, -1)]]));
    expect(open(torn).records).toEqual(["1 one", "2 two"]);
    for (const offset of [2, 17, 21]) {
      const damaged = createSimulatedFiles(new Map([["db/log-0000000004", old]]));
      damaged.flipByte("db/log-0000000004", offset);
      expect(() => open(damaged)).toThrow(expect.objectContaining({ code: "LOG_DAMAGED" }));
    }
  });

  it("rejects a damaged segment that is followed by others", async () => {
    const files = createSimulatedFiles();
    const { log } = open(files);
    await log.append({ sequence: 1, payload: payload("one") });
    await log.roll();
    await log.append({ sequence: 2, payload: payload("two") });
    files.flipByte(SEGMENT, 17);
    expect(() => open(files)).toThrow(expect.objectContaining({ code: "LOG_DAMAGED" }));
  });

  it("retries a failed write until it succeeds, and reports why it waits", async () => {
    const files = createSimulatedFiles();
    const { log, health } = open(files);
    const states: string[] = [];
    health.onChange((now) => states.push("code" in now ? now.code : now.state));
    files.failNextAppend(Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" }));
    const durable = log.append({ sequence: 1, payload: payload("one") });
    const failed = expect.objectContaining({ code: "DATABASE_FAILED" });
    await expect(health.unlessFailing(durable)).rejects.toThrow(failed);
    expect(() => health.check()).toThrow("ENOSPC: no space left on device");
    await log.append({ sequence: 2, payload: payload("two") });
    expect(states).toEqual(["ENOSPC", "healthy"]);
    expect(open(files).records).toEqual(["1 one", "2 two"]);
  });

  it("rejects unwritten records when it is closed", async () => {
    const files = createSimulatedFiles();
    const { log, health } = open(files);
    health.close();
    files.failNextAppend(new Error("EIO: i/o error"));
    const failed = expect.objectContaining({ code: "DATABASE_FAILED" });
    await expect(log.append({ sequence: 1, payload: payload("one") })).rejects.toThrow(failed);
    await expect(log.append({ sequence: 2, payload: payload("two") })).rejects.toThrow(failed);
    await expect(log.roll()).rejects.toThrow(failed);
    expect(open(files).records).toEqual([]);
  });
});
