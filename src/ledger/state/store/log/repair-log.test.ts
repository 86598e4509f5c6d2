import { expect, it } from "vitest";
import { SimulatedMachine } from "../../testing/machine.ts";
import { balanceChange, hashOf } from "../../testing/model.ts";
import { repairLog } from "./repair-log.ts";

const SEGMENT = "db/log-0000000001.v2";

async function chain(blocks: number): Promise<SimulatedMachine> {
  const machine = new SimulatedMachine({ recentBlocks: 16, archive: false }, 1 << 24);
  for (let number = 0; number < blocks; number++) {
    const staged = machine.store.stage({ accounts: [balanceChange(1, BigInt(number + 1))], codes: [] });
    await staged.commit({ number: BigInt(number), hash: hashOf(number) }, []).durable;
  }
  machine.losePower(() => 0);
  return machine;
}

it("truncates a damaged log before the damage, keeps the file, and reports the lost blocks", async () => {
  const machine = await chain(8);
  const { files } = machine;
  const size = files.read(SEGMENT).length;
  files.flipByte(SEGMENT, size >> 1);
  expect(() => machine.start()).toThrow(expect.objectContaining({ code: "LOG_DAMAGED" }));
  const before = files.read(SEGMENT);

  const repair = await repairLog(files, "db");
  expect(repair).toMatchObject({ path: SEGMENT, kept: ["db/damaged-log-0000000001.v2"] });
  expect(files.read("db/damaged-log-0000000001.v2")).toEqual(before);
  machine.start();
  const head = machine.store.head?.number as bigint;
  expect(repair?.lostBlocks).toEqual({ first: head + 2n, last: 7n });
  machine.store.verify();
});

it("does not change an intact log, or one with a torn end", async () => {
  const { files } = await chain(3);
  expect(await repairLog(files, "db")).toBeUndefined();
  files.truncate(SEGMENT, files.read(SEGMENT).length - 1);
  expect(await repairLog(files, "db")).toBeUndefined();
});

it("makes a log startable whose files are gone, and keeps whatever came after them", async () => {
  const machine = await chain(3);
  const noted = { sequence: 0, segments: { from: 1, to: 2 } };
  for (const lose of [
    () => machine.files.remove(SEGMENT),
    () => machine.files.truncate(SEGMENT, 0),
    () => machine.files.truncate(SEGMENT, 20),
  ]) {
    lose();
    expect(() => machine.start()).toThrow(
      expect.objectContaining({ code: "LOG_DAMAGED", details: { path: SEGMENT, offset: 0 } }),
    );
    expect(await repairLog(machine.files, "db", noted)).toMatchObject({
      path: SEGMENT,
      isGone: true,
      lostRecords: 0,
    });
    expect(await repairLog(machine.files, "db", noted)).toBeUndefined();
    machine.start();
    expect(machine.store.head).toBeUndefined();
    machine.losePower(() => 0);
  }
});
