import { describe, expect, it } from "vitest";
import { createSimulatedFiles, type SimulatedFiles } from "../../../platform/runtime/simulated-files.ts";
import { CommitLog } from "./commit-log.ts";

const SEGMENT = "db/log-0000000001";
const payload = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

function open(files: SimulatedFiles) {
  const log = new CommitLog(files, "db");
  const records: string[] = [];
  const cut = log.open(({ sequence, payload: bytes }) => {
    records.push(`${sequence} ${Buffer.from(bytes).toString()}`);
  });
  return { log, records, cut };
}

async function written(...texts: string[]): Promise<SimulatedFiles> {
  const files = createSimulatedFiles();
  const { log } = open(files);
  for (const [i, text] of texts.entries()) await log.append({ sequence: i + 1, payload: payload(text) });
  return files;
}

describe("commit log", () => {
  it("gives back what was appended, and goes on behind it", async () => {
    const files = await written("one", "two");
    const { log, records } = open(files);
    expect(records).toEqual(["1 one", "2 two"]);
    await log.append({ sequence: 3, payload: payload("three") });
    expect(open(files).records).toEqual(["1 one", "2 two", "3 three"]);
  });

  it("writes what is appended during a write together, in order", async () => {
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

  it("ends a segment behind the records appended before, while a write is under way", async () => {
    const files = createSimulatedFiles();
    const { log } = open(files);
    const first = log.append({ sequence: 1, payload: payload("before") });
    const rolled = log.roll();
    const second = log.append({ sequence: 2, payload: payload("after") });
    expect(await rolled).toEqual(["log-0000000001"]);
    await Promise.all([first, second]);
    expect(open(files).records).toEqual(["1 before", "2 after"]);
    const whole = log.bytes;
    log.drop(await rolled);
    expect(open(files).records).toEqual(["2 after"]);
    expect([whole, log.bytes]).toEqual([16 + 6 + 16 + 5, 16 + 5]);
  });

  it("cuts a record that was torn at any byte, once", async () => {
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

  it("takes nothing from a changed byte on", async () => {
    const length = (await written("one", "two")).read(SEGMENT).length;
    for (let offset = 0; offset < length; offset++) {
      const files = await written("one", "two");
      files.flipByte(SEGMENT, offset);
      expect(open(files).records).toEqual(offset < length / 2 ? [] : ["1 one"]);
    }
  });

  it("refuses a damaged segment that others follow", async () => {
    const files = createSimulatedFiles();
    const { log } = open(files);
    await log.append({ sequence: 1, payload: payload("one") });
    await log.roll();
    await log.append({ sequence: 2, payload: payload("two") });
    files.flipByte(SEGMENT, 17);
    expect(() => open(files)).toThrow(expect.objectContaining({ code: "LOG_DAMAGED" }));
  });

  it("acknowledges nothing after a failed write", async () => {
    const files = createSimulatedFiles();
    const { log } = open(files);
    files.failNextAppend(new Error("disk full"));
    const failed = expect.objectContaining({ code: "DATABASE_FAILED" });
    await expect(log.append({ sequence: 1, payload: payload("one") })).rejects.toThrow(failed);
    await expect(log.append({ sequence: 2, payload: payload("two") })).rejects.toThrow(failed);
    await expect(log.roll()).rejects.toThrow(failed);
    expect(open(files).records).toEqual([]);
  });
});
