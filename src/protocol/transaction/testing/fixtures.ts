import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { RlpReader } from "../../codec/rlp/reader.ts";

const fixtures = new URL("../../../../test/fixtures/", import.meta.url);

/** Cases of a file of published vectors. */
export function readCases<T>(file: string): readonly T[] {
  return JSON.parse(readFileSync(new URL(`vectors/${file}`, fixtures), "utf8")).cases;
}

/** One transaction of a recorded chain: its encoding and how the reference node shows it. */
export interface RecordedTransaction {
  readonly hash: string;
  readonly raw: string;
  readonly kaia: Record<string, unknown>;
  readonly eth: Record<string, unknown>;
}

function readGzip(path: string): Uint8Array {
  return new Uint8Array(gunzipSync(readFileSync(new URL(path, fixtures))));
}

/** The recorded transactions of a chain by block number. */
export function readRecorded(chain: string): ReadonlyMap<string, readonly RecordedTransaction[]> {
  return new Map(
    Object.entries(JSON.parse(new TextDecoder().decode(readGzip(`chains/${chain}/txs.json.gz`)))),
  );
}

/** Encoded transaction lists of a chain's blocks, from block 1 on: each the payload of the list. */
export function readTransactionLists(chain: string): readonly Uint8Array[] {
  const bytes = readGzip(`chains/${chain}/chain.rlp.gz`);
  const blocks = new RlpReader(bytes);
  const lists: Uint8Array[] = [];
  while (!blocks.atEnd) {
    blocks.enterList("block");
    blocks.raw();
    const list = blocks.raw();
    const reader = new RlpReader(list);
    reader.enterList("transactions");
    lists.push(list.subarray(reader.position));
    blocks.leaveList();
  }
  return lists;
}
