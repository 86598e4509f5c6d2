import { expect, it } from "vitest";
import {
  openRecorded,
  readFixture,
  recordedBlocks,
} from "../../../network/consensus/testing/recorded-chain.ts";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { BlockImporter } from "./importer.ts";

it("recovers no senders of a block with an invalid header, and records the block as bad", async () => {
  const { chain, processor, branches, rules } = await openRecorded(
    readFixture("all-types/genesis.json").toString(),
  );
  let recovered = 0;
  const importer = new BlockImporter({
    ...{ chain, processor, branches, consensus: rules, runtime: createSimulatedRuntime() },
    recovery: { recover: async () => void recovered++ } as never,
  });
  const [first, second] = recordedBlocks("all-types") as Iterable<Block>;
  const { header } = first as Block;
  const forged = { ...(first as Block), header: { ...header, time: header.time + 1n } };
  await expect(importer.import(forged)).rejects.toMatchObject({ code: "BAD_BLOCK" });
  await expect(importer.import(second as Block)).rejects.toMatchObject({ code: "UNKNOWN_ANCESTOR" });
  expect([recovered, chain.tip.header.number]).toEqual([0, 0n]);
  expect([...importer.badBlocks.list()]).toHaveLength(1);
  await importer.import(first as Block);
  expect([recovered, chain.tip.header.number]).toEqual([1, 1n]);
});

it("marks an invalid block with valid seals as decided by its validators", async () => {
  const { chain, processor, branches, rules } = await openRecorded(
    readFixture("all-types/genesis.json").toString(),
  );
  const importer = new BlockImporter({
    ...{ chain, processor, branches, runtime: createSimulatedRuntime() },
    consensus: { verifyHeader: (header, parent) => rules.verifyHeader(sealed.get(header) ?? header, parent) },
    recovery: { recover: async () => {} } as never,
  });
  const [first] = recordedBlocks("all-types") as Iterable<Block>;
  const { header, transactions } = first as Block;
  /** Maps altered headers to ones whose seals are valid. */
  const sealed = new Map<Block["header"], Block["header"]>();
  const refusalOf = async (changed: Block["header"]) => {
    const error = await importer.import({ header: changed, transactions }).catch((reason: Error) => reason);
    return (error as { details?: { isDecided?: boolean } }).details?.isDecided;
  };
  const wrong = { ...header, stateRoot: new Uint8Array(32).fill(1) };
  expect(await refusalOf(wrong)).toBeUndefined();
  sealed.set(wrong, header);
  expect(await refusalOf(wrong)).toBe(true);
  const otherBody = { ...header, transactionsRoot: new Uint8Array(32).fill(1) };
  sealed.set(otherBody, header);
  expect(await refusalOf(otherBody)).toBe(true);
});
