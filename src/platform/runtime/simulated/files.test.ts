import { describe, expect, it } from "vitest";
import { createSeededRandomness } from "../simulated.ts";
import { createSimulatedFiles } from "./files.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (content: Uint8Array) => new TextDecoder().decode(content);

describe("simulated files", () => {
  it("lose power: what is synced stays, of the rest the beginning, as far as its sectors were written", async () => {
    const files = createSimulatedFiles(new Map([["d/log", bytes("old ")]]));
    const log = files.openAppend("d/log");
    await log.append(bytes("synced "));
    const appending = log.append(bytes("in flight"));
    const small = files.openRewritable("d/small");
    small.write(bytes("cached"));
    small.write(bytes(" too"));
    const kept = files.afterPowerLoss((length) => length - 3);
    const torn = files.afterPowerLoss(
      (length) => length,
      () => false,
    );
    expect([text(kept.read("d/log")), text(kept.read("d/small"))]).toEqual(["old synced in fli", "cached "]);
    expect([...torn.read("d/log")].slice(-10)).toEqual([32, ...new Array(9).fill(0)]);
    expect([...torn.read("d/small")]).toEqual(new Array(10).fill(0));
    await appending;
    expect([text(files.read("d/log")), text(files.read("d/small"))]).toEqual([
      "old synced in flight",
      "cached too",
    ]);
  });

  it("lose single sectors of 512 bytes, counted from the beginning of the file", () => {
    const files = createSimulatedFiles(new Map([["a", new Uint8Array(500).fill(1)]]));
    files.openRewritable("a").write(new Uint8Array(1_036).fill(2));
    let sectors = 0;
    const torn = files.afterPowerLoss(
      (length) => length,
      () => ++sectors !== 2,
    );
    const runs = { 1: 0, 2: 0, 0: 0 };
    for (const byte of torn.read("a")) runs[byte as 0 | 1 | 2]++;
    expect([sectors, runs]).toEqual([3, { 1: 500, 2: 12 + 512, 0: 512 }]);
  });

  it("are truncated, cleared, renamed, removed and listed by folder", () => {
    const files = createSimulatedFiles(new Map([["d/a", bytes("0123")]]));
    const a = files.openRewritable("d/a");
    a.write(bytes("4567"));
    files.truncate("d/a", 6);
    a.write(bytes("x"));
    expect(text(files.read("d/a"))).toBe("012345x");
    files.rename("d/a", "d/b");
    expect([files.list("d"), files.list("e"), files.exists("d/a"), files.exists("d/b")]).toEqual([
      ["b"],
      [],
      false,
      true,
    ]);
    a.clear();
    expect(files.read("d/b")).toHaveLength(0);
    files.remove("d/b");
    expect(files.list("d")).toEqual([]);
    expect(() => files.read("d/b")).toThrow("no such file: d/b");
    expect(files.isReadOnly("d")).toBe(false);
  });

  it("keep what was written while they are replaced", async () => {
    const files = createSimulatedFiles();
    const file = files.openRewritable("a");
    file.write(bytes("before"));
    const replaced = file.replace(bytes("new "));
    file.write(bytes("later"));
    await replaced;
    expect(text(files.read("a"))).toBe("new later");
    expect(text(files.afterPowerLoss(() => 0).read("a"))).toBe("new ");
    await files.replace("a", bytes("whole"));
    expect(text(files.read("a"))).toBe("whole");
  });

  it("fail once if told to, and flip one bit", async () => {
    const files = createSimulatedFiles(new Map([["a", bytes("AAA")]]));
    files.failNextAppend(new Error("full"));
    await expect(files.openAppend("a").append(bytes("B"))).rejects.toThrow("full");
    await files.openAppend("a").append(bytes("B"));
    const other = files.openRewritable("b");
    files.failNextAppend(new Error("full"));
    await expect(other.replace(bytes("C"))).rejects.toThrow("full");
    files.failNextAppend(new Error("full"));
    expect(() => other.write(bytes("C"))).toThrow("full");
    expect(files.read("b")).toHaveLength(0);
    files.flipByte("a", 1);
    const read = files.read("a");
    const changed = [...read].map((byte, i) => byte ^ ("AAAB".codePointAt(i) as number)).filter(Boolean);
    expect(changed).toHaveLength(1);
    expect(Math.log2(changed[0] as number) % 1).toBe(0);
    const lock = await files.lock("LOCK");
    await expect(files.lock("LOCK")).rejects.toMatchObject({ code: "LOCK_HELD", details: { path: "LOCK" } });
    lock.release();
    expect(lock.isThere()).toBe(false);
  });
});

it("seeded randomness has all kinds of bytes, and goes on", () => {
  const { bytes: draw } = createSeededRandomness(5);
  expect(new Set(draw(4_096)).size).toBe(256);
  expect(draw(32)).not.toEqual(draw(32));
});
